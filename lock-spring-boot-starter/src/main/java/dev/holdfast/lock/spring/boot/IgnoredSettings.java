package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockProvider;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/** Warns about settings that have no effect because the application creates its {@link Locks} itself. */
final class IgnoredSettings implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(IgnoredSettings.class);

    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    IgnoredSettings(ConfigurableListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> locks = List.of(beans.getBeanNamesForType(Locks.class, true, false));
        if (locks.isEmpty() || beans.getBeanNamesForType(LockSettingsFactory.class, true, false).length > 0) {
            return;
        }
        SpringNames names = new SpringNames(environment);
        String ignored = HoldfastKeys.values(
                        environment, HoldfastKeys.with(stores()).values())
                .keySet()
                .stream()
                .map(key -> SpringNames.of(key)
                        + names.origin(key).map(origin -> " (" + origin + ")").orElse(""))
                .sorted()
                .collect(Collectors.joining(", "));
        if (!ignored.isEmpty()) {
            log.warn(
                    "{} has no effect, as the application has a Locks bean of its own, {}: set it where that is made, or"
                            + " remove either of them",
                    ignored,
                    String.join(", ", locks));
        }
    }

    private Collection<LockProvider> stores() {
        ClassLoader loader = beans.getBeanClassLoader();
        return LockSettingsFactory.providers(loader == null ? IgnoredSettings.class.getClassLoader() : loader)
                .values();
    }
}
