package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.jdbc.server.H2Server;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locks in the database of an application that has a Flyway of its own, on a server of each kind. */
@Tag("second-build")
@Execution(ExecutionMode.CONCURRENT)
class ApplicationDatabaseTest {

    /** The machine may stand still for many seconds: that must become neither an outage nor the end of a lease. */
    private static final Map<String, String> PATIENT = Map.of("lease", "10m", "call-timeout", "1m");

    private static H2Server h2;

    @BeforeAll
    static void startH2() {
        h2 = H2Server.own();
    }

    @AfterAll
    static void stopH2() {
        h2.close();
    }

    @ParameterizedTest
    @EnumSource
    void poolOfItsOwn_isAtTheAddressOfTheApplication(Server server) {
        application(server, "holdfast.provider=jdbc").run(context -> {
            HikariDataSource pool = context.getBean(HikariDataSource.class);
            Locks locks = context.getBean(Locks.class);
            assertThat(locks.provider()).isEqualTo("jdbc");
            try (Lease lease = locks.named("one").acquire()) {
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
                assertThat(lockedNames(pool)).isEqualTo(1);
                try (Locks others = Locks.openResolved(settings(pool))) {
                    assertThat(others.named("one").tryAcquire()).isEmpty();
                }
            }
            assertApplicationsFlywayIsUndisturbed(context.getBean(Flyway.class));
        });
    }

    @ParameterizedTest
    @EnumSource
    void sharedDataSource_keepsTheLocksAndClosesAfterThem(Server server) {
        AtomicReference<LeaseState> atEnd = new AtomicReference<>();
        application(server, "holdfast.jdbc.data-source=shared", "holdfast.namespace=shared")
                .withBean(LastUser.class, () -> new LastUser(atEnd))
                .run(context -> {
                    Locks locks = context.getBean(Locks.class);
                    assertThat(context).hasSingleBean(LockStore.class);
                    assertThat(locks.provider()).isEqualTo("jdbc");
                    assertThat(context.getBean(LockAdmin.class).provider()).isEqualTo("jdbc");
                    context.getBean(LastUser.class).locks = locks;
                    try (Lease lease = locks.named("one").acquire()) {
                        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                        HikariDataSource pool = context.getBean(HikariDataSource.class);
                        assertThat(lockedNames(pool)).isEqualTo(1);
                        Properties settings = settings(pool);
                        settings.setProperty("lock.namespace", "shared");
                        try (Locks others = Locks.openResolved(settings)) {
                            assertThat(others.named("one").tryAcquire()).isEmpty();
                        }
                    }
                    assertApplicationsFlywayIsUndisturbed(context.getBean(Flyway.class));
                });
        assertThat(atEnd.get()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void locks_areMadeAfterTheApplicationsMigrations() {
        for (String choice : List.of("holdfast.provider=jdbc", "holdfast.jdbc.data-source=shared")) {
            application(Server.POSTGRESQL, choice).run(context -> {
                assertThat(Stream.of("holdfastLocks", "holdfastSharedStore").filter(context::containsBean))
                        .hasSize(choice.endsWith("shared") ? 2 : 1)
                        .allSatisfy(bean -> assertThat(context.getBeanFactory()
                                        .getBeanDefinition(bean)
                                        .getDependsOn())
                                .contains("flywayInitializer"));
            });
        }
    }

    private static void assertApplicationsFlywayIsUndisturbed(Flyway flyway) {
        assertThat(flyway.info().all())
                .extracting(MigrationInfo::getDescription)
                .containsExactly("application");
        assertThat(flyway.migrate().migrationsExecuted).isZero();
        flyway.validate();
    }

    private static int lockedNames(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                ResultSet count = connection.createStatement().executeQuery("select count(*) from holdfast_lock")) {
            count.next();
            return count.getInt(1);
        }
    }

    /** Of locks without Spring. */
    private static Properties settings(HikariDataSource pool) {
        Properties settings = new Properties();
        PATIENT.forEach((key, value) -> settings.setProperty("lock." + key, value));
        settings.setProperty("lock.provider", "jdbc");
        settings.setProperty("lock.jdbc.url", pool.getJdbcUrl());
        settings.setProperty("lock.jdbc.username", pool.getUsername());
        if (pool.getPassword() != null) {
            settings.setProperty("lock.jdbc.password", pool.getPassword());
        }
        return settings;
    }

    private static ApplicationContextRunner application(Server server, String... properties) {
        Map<String, String> database = server.newDatabase();
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        HoldfastAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        FlywayAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + database.get("lock.jdbc.url"),
                        "spring.datasource.username=" + database.get("lock.jdbc.username"),
                        "spring.datasource.password=" + database.getOrDefault("lock.jdbc.password", ""))
                .withPropertyValues(PATIENT.entrySet().stream()
                        .map(each -> "holdfast." + each)
                        .toArray(String[]::new))
                .withPropertyValues(properties);
    }

    /** The servers of the databases that lock-jdbc supports. */
    enum Server {
        POSTGRESQL {
            @Override
            Map<String, String> newDatabase() {
                PostgresServer server = PostgresServer.shared();
                try {
                    return Map.of(
                            "lock.jdbc.url", server.newDatabase(),
                            "lock.jdbc.username", server.username(),
                            "lock.jdbc.password", server.password());
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        },
        MARIADB {
            @Override
            Map<String, String> newDatabase() {
                return MariaDbDatabase.of(MariaDbServer.shared()).settings();
            }
        },
        H2 {
            @Override
            Map<String, String> newDatabase() {
                Map<String, String> settings = new HashMap<>(h2.settings());
                settings.compute(
                        "lock.jdbc.url", (key, url) -> url.replace("/./", "/./" + DATABASES.incrementAndGet()));
                return settings;
            }
        };

        private static final AtomicInteger DATABASES = new AtomicInteger();

        /** The settings of locks in it. */
        abstract Map<String, String> newDatabase();
    }

    /** Uses the locks when the context closes, without depending on them. */
    static class LastUser implements DisposableBean {

        private final AtomicReference<LeaseState> atEnd;
        private Locks locks;

        LastUser(AtomicReference<LeaseState> atEnd) {
            this.atEnd = atEnd;
        }

        @Override
        public void destroy() throws InterruptedException {
            try (Lease lease = locks.named("last").acquire()) {
                atEnd.set(lease.state());
            }
        }
    }
}
