package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locks in the database of an application that has a Flyway of its own. */
class ApplicationDatabaseTest {

    private final PostgresServer server = PostgresServer.shared();

    @Test
    void poolOfItsOwn_isAtTheAddressOfTheApplication() throws SQLException {
        application("holdfast.provider=jdbc").run(context -> {
            HikariDataSource pool = context.getBean(HikariDataSource.class);
            Locks locks = context.getBean(Locks.class);
            assertThat(locks.provider()).isEqualTo("jdbc");
            try (Lease lease = locks.named("one").acquire()) {
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            }
            assertApplicationsFlywayIsUndisturbed(context.getBean(Flyway.class));
        });
    }

    @Test
    void sharedDataSource_keepsTheLocksAndClosesAfterThem() throws SQLException {
        AtomicReference<LeaseState> atEnd = new AtomicReference<>();
        application("holdfast.jdbc.data-source=shared", "holdfast.namespace=shared")
                .withBean(LastUser.class, () -> new LastUser(atEnd))
                .run(context -> {
                    Locks locks = context.getBean(Locks.class);
                    assertThat(context).hasSingleBean(LockStore.class);
                    assertThat(locks.provider()).isEqualTo("jdbc");
                    assertThat(context.getBean(LockAdmin.class).provider()).isEqualTo("jdbc");
                    context.getBean(LastUser.class).locks = locks;
                    try (Lease lease = locks.named("one").acquire();
                            Connection connection =
                                    context.getBean(DataSource.class).getConnection();
                            ResultSet rows = connection
                                    .createStatement()
                                    .executeQuery("select 1 from holdfast_lock where namespace = 'shared'")) {
                        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                        assertThat(rows.next()).isTrue();
                    }
                    assertApplicationsFlywayIsUndisturbed(context.getBean(Flyway.class));
                });
        assertThat(atEnd.get()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void locks_areMadeAfterTheApplicationsMigrations() throws SQLException {
        for (String choice : List.of("holdfast.provider=jdbc", "holdfast.jdbc.data-source=shared")) {
            application(choice).run(context -> {
                assertThat(context.getBeanFactory()
                                .getBeanDefinition("holdfastLocks")
                                .getDependsOn())
                        .contains("flywayInitializer");
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

    private ApplicationContextRunner application(String... properties) throws SQLException {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        HoldfastAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        FlywayAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + server.newDatabase(),
                        "spring.datasource.username=" + server.username(),
                        "spring.datasource.password=" + server.password())
                .withPropertyValues(properties);
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
