package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.LockStore;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which beans an application gets, and from which settings. */
@Tag("second-build")
class AutoConfigurationTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class));

    private final ApplicationContextRunner onMemory = application.withPropertyValues("holdfast.provider=memory");

    @Test
    void context_withProvider_hasLocksThatExclude() {
        onMemory.run(context -> {
            Locks locks = context.getBean(Locks.class);

            assertThat(locks.provider()).isEqualTo("memory");
            try (Lease lease = locks.named("one").acquire()) {
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                assertThat(locks.named("one").tryAcquire()).isEmpty();
                assertThat(context.getBean(LockAdmin.class).locks("one")).hasSize(1);
            }
        });
    }

    @Test
    void context_whenDisabled_hasNoBeans() {
        application
                .withPropertyValues("holdfast.enabled=false", "holdfast.nonsense=1")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Locks.class));
    }

    @Test
    void settings_inSpringsForms_reachTheLocks() {
        onMemory.withPropertyValues("holdfast.acquireTimeout=5", "holdfast.MAX_LOCAL_HANDOFFS=3", "holdfast.lease=2m")
                .run(context -> {
                    assertThat(setting(context, "lock.acquire-timeout")).isEqualTo("PT0.005S");
                    assertThat(setting(context, "lock.max-local-handoffs")).isEqualTo("3");
                    assertThat(setting(context, "lock.lease")).isEqualTo("PT2M");
                });
    }

    @Test
    void settings_boundBySpring_areNotOverriddenBySystemProperties() {
        onMemory.withSystemProperties("lock.lease=5s")
                .withPropertyValues("holdfast.lease=7s")
                .run(context -> assertThat(setting(context, "lock.lease")).isEqualTo("PT7S"));
    }

    @Test
    void blankValue_isAsIfItWereNotSet() {
        onMemory.withPropertyValues("holdfast.lease=", "holdfast.max-local-handoffs=")
                .run(context -> assertThat(setting(context, "lock.lease")).isEqualTo("30s"));
    }

    @Test
    void unknownProperty_failsTheStartAndNamesTheNearest() {
        onMemory.withPropertyValues("holdfast.leese=5s")
                .run(context -> assertFailed(context)
                        .contains("unknown property holdfast.leese")
                        .contains("did you mean holdfast.lease?"));
    }

    @Test
    void unknownPropertyOfTheStarterItself_namesTheNearest() {
        onMemory.withPropertyValues("holdfast.jdbc.datasource2=shared")
                .run(context -> assertFailed(context).contains("did you mean holdfast.jdbc.data-source?"));
    }

    @Test
    void invalidValue_failsTheStartAndNamesPropertyAndOrigin() {
        onMemory.withPropertyValues("holdfast.lease=5ms")
                .run(context -> assertFailed(context)
                        .contains("holdfast.lease=PT0.005S (\"holdfast.lease\" from property source \"test\")")
                        .contains("at least 100ms")
                        .doesNotContain("lock.lease"));
    }

    @Test
    void provider_withoutModule_failsTheStart() {
        application
                .withPropertyValues("holdfast.provider=etcd")
                .run(context -> assertFailed(context)
                        .contains("holdfast.provider=etcd: no provider of this name is on the class path")
                        .contains("memory"));
    }

    @Test
    void application_withLocksOfItsOwn_getsNoOthers() {
        application
                .withUserConfiguration(OwnLocks.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(Locks.class)
                        .hasBean("ownLocks")
                        .hasSingleBean(LockAdmin.class));
    }

    @Test
    void application_withStoreOfItsOwn_getsLocksOnIt() {
        application
                .withUserConfiguration(OwnStore.class)
                .withPropertyValues("holdfast.lease=7s")
                .run(context -> {
                    assertThat(context.getBean(Locks.class).provider()).isEqualTo("custom");
                    assertThat(setting(context, "lock.lease")).isEqualTo("PT7S");
                });
    }

    @Test
    void application_withStoreOfItsOwnAndProvider_fails() {
        onMemory.withUserConfiguration(OwnStore.class)
                .run(context ->
                        assertFailed(context).contains("holdfast.provider").contains("a LockStore bean"));
    }

    @Test
    void locks_closeAfterTheBeansThatUseThem() {
        AtomicReference<LeaseState> atEnd = new AtomicReference<>();
        onMemory.withBean("a-user", User.class, () -> new User(atEnd)).run(context -> {
            User user = context.getBean(User.class);
            user.use(context.getBean(Locks.class));
        });
        assertThat(atEnd.get()).isNotNull();
    }

    private static org.assertj.core.api.AbstractStringAssert<?> assertFailed(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        Throwable failure = context.getStartupFailure();
        while (failure != null && !(failure instanceof LockConfigurationException)) {
            failure = failure.getCause();
        }
        return assertThat(failure)
                .isNotNull()
                .extracting(Throwable::getMessage, org.assertj.core.api.InstanceOfAssertFactories.STRING);
    }

    private static String setting(AssertableApplicationContext context, String key) {
        return context.getBean(LockAdmin.class).settings().stream()
                .filter(setting -> setting.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new AssertionError(key + " is not set"))
                .value();
    }

    private static final class User implements DisposableBean {

        private final AtomicReference<LeaseState> atEnd;
        private Locks locks;

        User(AtomicReference<LeaseState> atEnd) {
            this.atEnd = atEnd;
        }

        void use(Locks locks) {
            this.locks = locks;
        }

        @Override
        public void destroy() throws Exception {
            try (Lease lease = locks.named("at-end").acquire()) {
                atEnd.set(lease.state());
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnLocks {
        @Bean
        Locks ownLocks() {
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "memory");
            return Locks.open(properties);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {
        @Bean
        LockStore ownStore() {
            return new MemoryLockProvider().open(new dev.holdfast.lock.spi.Namespace("own"), null);
        }
    }
}
