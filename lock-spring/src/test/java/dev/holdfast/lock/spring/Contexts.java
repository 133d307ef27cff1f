package dev.holdfast.lock.spring;

import dev.holdfast.lock.Locks;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** Application contexts with locks in memory. */
final class Contexts {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Contexts() {}

    /** Locks in memory that no other locks know. */
    static Locks locks() {
        return locks("test-" + NUMBER.incrementAndGet());
    }

    /** Locks in memory that exclude all others of this namespace. */
    static Locks locks(String namespace) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        properties.setProperty("lock.namespace", namespace);
        return Locks.open(properties);
    }

    /** A context of these classes, with locks of its own. */
    static AnnotationConfigApplicationContext of(Class<?>... components) {
        return of(locks(), components);
    }

    /** A context of these classes on locks that it closes. */
    static AnnotationConfigApplicationContext of(Locks locks, Class<?>... components) {
        return with(locks, Map.of(), components);
    }

    /** The same with properties of the environment. */
    static AnnotationConfigApplicationContext with(
            Locks locks, Map<String, Object> properties, Class<?>... components) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.registerBean(Locks.class, () -> locks);
        context.register(Enabled.class);
        context.register(components);
        try {
            context.refresh();
        } catch (RuntimeException e) {
            context.close();
            locks.close();
            throw e;
        }
        return context;
    }

    /** {@code @Locked} alone. */
    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    static class Enabled {

        @Bean
        static Probe probe() {
            return new Probe();
        }
    }
}
