package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spring.Locked;
import java.io.IOException;
import java.net.URL;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** What an operator reads when an application does not start because of its locks. */
@Tag("second-build")
class LockFailureAnalyzerTest {

    @Test
    void wrongSetting_isReportedByItsProperty() {
        FailureAnalysis analysis = analysis("holdfast.provider=memory", "holdfast.lease=5ms");

        assertThat(analysis.getDescription())
                .contains("holdfast.lease=PT0.005S (\"holdfast.lease\" from property source \"test\")")
                .contains("at least 100ms");
    }

    @Test
    void storeThatIsDown_isReportedWithItsAddressAndWithoutItsPassword() {
        FailureAnalysis analysis =
                analysis("holdfast.provider=redis", "holdfast.redis.uri=redis://:hidden@127.0.0.1:1");

        assertThat(analysis.getDescription())
                .contains("cannot be reached")
                .contains("127.0.0.1:1")
                .doesNotContain("hidden");
        assertThat(analysis.getAction()).contains("Start the store");
    }

    @Test
    void wrongPassword_isReportedWithWhereItIsSet() throws SQLException {
        String url = PostgresServer.shared().newDatabase();

        assertThat(analysis(
                                "holdfast.jdbc.url=" + url,
                                "holdfast.jdbc.username=nobody-known",
                                "holdfast.jdbc.password=x")
                        .getDescription())
                .contains(
                        "holdfast.jdbc.url (\"holdfast.jdbc.url\" from property source \"test\"), holdfast.jdbc.username (")
                .contains("holdfast.jdbc.password (\"holdfast.jdbc.password\" from property source \"test\")");
        assertThat(analysis(
                                "holdfast.provider=jdbc",
                                "spring.datasource.url=" + url,
                                "spring.datasource.username=nobody-known",
                                "spring.datasource.password=x",
                                "spring.main.lazy-initialization=true")
                        .getDescription())
                .contains("holdfast.jdbc.url (taken from spring.datasource), ");
    }

    @Test
    void mistakeInAnAnnotation_isReportedByItsMethodAndAttribute() {
        FailureAnalysis analysis = analysis(runner -> runner.withBean(Mistaken.class), "holdfast.provider=memory");

        assertThat(analysis.getDescription())
                .contains("@Locked on " + Mistaken.class.getName() + ".run(): lease 'soon'");
        assertThat(analysis.getAction())
                .contains("the method or its annotation")
                .doesNotContain("property");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "jdbc", "composite"})
    void providerWithoutItsModule_isReportedWithTheModule(String provider) {
        FailureAnalysis analysis =
                analysis(runner -> runner.withClassLoader(new WithoutStores()), "holdfast.provider=" + provider);

        assertThat(analysis.getDescription())
                .contains("add dev.holdfast:lock-" + provider)
                .doesNotContain("such as");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis.pool-size", "redis.uri", "composite.authority-lease"})
    void settingOfAStoreWithoutItsModule_isReportedWithTheModule(String setting) {
        FailureAnalysis analysis = analysis(
                runner -> runner.withBean(Locking.class).withClassLoader(new WithoutStores()),
                "holdfast.provider=memory",
                "holdfast.jdbc.password=${NOT_SET:}",
                "holdfast." + setting + "=7");

        assertThat(analysis.getDescription())
                .contains(
                        "holdfast." + setting + " (\"holdfast." + setting + "\" from property source \"test\") is set")
                .contains("add dev.holdfast:lock-" + setting.substring(0, setting.indexOf('.')));
    }

    @Test
    void redisOfBoot_withoutTheModuleForIt_isReportedWithTheModule() {
        FailureAnalysis analysis = analysis(
                runner -> runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                        .withClassLoader(new WithoutStores("jdbc")),
                "spring.data.redis.host=cache");

        assertThat(analysis.getDescription())
                .contains("add dev.holdfast:lock-redis for those of spring.data.redis")
                .contains("set holdfast.jdbc.url");
    }

    private static FailureAnalysis analysis(String... properties) {
        return analysis(
                runner -> runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                        .withBean(LazyInitializationBeanFactoryPostProcessor.class)
                        .withBean(Locking.class),
                properties);
    }

    private static FailureAnalysis analysis(UnaryOperator<ApplicationContextRunner> more, String... properties) {
        AtomicReference<FailureAnalysis> found = new AtomicReference<>();
        more.apply(new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(
                                HoldfastAutoConfiguration.class, HoldfastLockedAutoConfiguration.class)))
                .withPropertyValues(properties)
                .run(context -> found.set(analyzer().analyze(context.getStartupFailure())));
        return found.get();
    }

    /** As Boot finds it. */
    private static FailureAnalyzer analyzer() {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {}))
                .stream()
                .filter(LockFailureAnalyzer.class::isInstance)
                .findFirst()
                .orElseThrow();
    }

    /** Needs the locks at the start, also where beans are made late. */
    static class Locking implements SmartInitializingSingleton {

        private final ObjectProvider<Locks> locks;

        Locking(ObjectProvider<Locks> locks) {
            this.locks = locks;
        }

        @Override
        public void afterSingletonsInstantiated() {
            locks.getObject();
        }
    }

    static class Mistaken {

        @Locked(value = "job", lease = "soon")
        public void run() {}
    }

    /** Finds no providers but that in memory, and those that are named. */
    private static final class WithoutStores extends ClassLoader {

        private final List<String> present;

        WithoutStores(String... present) {
            super(LockFailureAnalyzerTest.class.getClassLoader());
            this.present = List.of(present);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            List<URL> found = Collections.list(super.getResources(name));
            if (name.equals("META-INF/services/" + LockProvider.class.getName())) {
                found.removeIf(url -> Stream.of("redis", "jdbc", "composite")
                        .anyMatch(module -> url.toString().contains("lock-" + module) && !present.contains(module)));
            }
            return Collections.enumeration(found);
        }
    }
}
