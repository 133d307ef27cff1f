package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The configured schema is the one that is used, or the store is not opened: two schemas are two sets of locks. */
@Tag("first-build")
class SchemaChoiceTest {

    private static final Namespace NAMESPACE = new Namespace("test");

    private final Postgres database = Postgres.database();

    @Test
    void open_whenSchemaInTheUrlDoesNotExist_isRefusedAndCreatesNone() throws SQLException {
        Map<String, String> misspelt = inSchema("lokcs");
        refused(misspelt).hasMessageContaining("there is no schema lokcs").hasMessageContaining("CREATE SCHEMA lokcs");
        assertThatThrownBy(() -> Opened.authority("app", misspelt).close()).hasMessageContaining("no schema lokcs");
        assertThat(database.value("SELECT to_regnamespace('lokcs')")).isNull();
        refused(inSchema("lokcs,public")).hasMessageContaining("there is no schema lokcs");
        database.execute("CREATE SCHEMA lokcs");
        Opened.store(misspelt).close();
    }

    private Map<String, String> inSchema(String schema, String... more) {
        Map<String, String> settings = database.settings(more);
        settings.put("lock.jdbc.url", database.url() + "?currentSchema=" + schema);
        return settings;
    }

    private static AbstractThrowableAssert<?, ?> refused(Map<String, String> settings) {
        return assertThatThrownBy(() -> Opened.store(settings).close()).isInstanceOf(LockConfigurationException.class);
    }

    @Test
    void open_whenRoleMayNotUseTheFirstSchema_isRefusedUntilItIsGranted() throws SQLException {
        database.execute("CREATE SCHEMA locks");
        Opened.store(inSchema("locks,public")).close();
        Opened.store(database.settings()).close(); // a second set, in public
        String role = "barred_" + database.name();
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'barred';"
                + " GRANT ALL ON ALL TABLES IN SCHEMA locks, public TO " + role);
        Map<String, String> barred = inSchema("locks", "lock.jdbc.username", role, "lock.jdbc.password", "barred");
        Map<String, String> barredFromTheFirst =
                inSchema("locks,public", "lock.jdbc.username", role, "lock.jdbc.password", "barred");

        refused(barred).hasMessageContaining("GRANT USAGE ON SCHEMA locks TO " + role);
        refused(barredFromTheFirst).hasMessageContaining("GRANT USAGE ON SCHEMA locks TO " + role);
        database.execute("ALTER ROLE " + role + " SET search_path = locks, public");
        refused(database.settings("lock.jdbc.username", role, "lock.jdbc.password", "barred"))
                .hasMessageContaining("GRANT USAGE ON SCHEMA locks TO " + role);

        database.execute("GRANT USAGE ON SCHEMA locks TO " + role);
        try (LockStore owners = Opened.store(inSchema("locks"));
                LockStore others = Opened.store(barred)) {
            granted(owners, acquire("one", id()));
            assertThat(ask(others, acquire("one", id()))).isInstanceOf(LockReply.Busy.class);
        }
        refused(barredFromTheFirst).hasMessageContaining("in several schemas").hasMessageContaining("locks, public");
    }

    @Test
    void open_whenSeveralSchemasOfThePathHaveTables_isRefused() throws SQLException {
        Opened.store(database.settings()).close();
        LockStore before = Opened.store(inSchema("public"));
        database.execute("CREATE SCHEMA locks");
        Opened.store(inSchema("locks")).close();
        refused(inSchema("locks,public")).hasMessageContaining("name one schema in the URL");
        refused(inSchema("public,locks")).hasMessageContaining("name one schema in the URL");
        before.close();
    }

    @Test
    void open_whenUrlSetsThePathByOptions_usesThatSchema() throws SQLException {
        database.execute("CREATE SCHEMA \"my locks\"");
        Map<String, String> settings = database.settings(
                "lock.jdbc.url", database.url() + "?options=-c%20search_path=%22my%5C%20locks%22%20-c%20jit=off");
        Opened.store(settings).close();
        assertThat(database.value("SELECT to_regclass('\"my locks\".holdfast_lock')"))
                .isNotNull();
        Opened.store(inSchema("%22my%20locks%22", "lock.jdbc.migrate", "false")).close();
    }

    @Test
    void open_whenAPoolerIgnoresThePathOfTheUrl_isRefused() throws SQLException {
        database.execute("CREATE SCHEMA locks");
        HikariConfig pool = pool();
        pool.setJdbcUrl(database.url() + "?currentSchema=locks");
        pool.setConnectionInitSql("SET search_path = public"); // as a pooler with ignore_startup_parameters does
        try (HikariDataSource source = new HikariDataSource(pool)) {
            assertThatThrownBy(() -> Opened.on(source, NAMESPACE).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("configured as locks, and the server uses public")
                    .hasMessageContaining("ALTER ROLE");
        }
        assertThat(database.value("SELECT to_regclass('holdfast_lock')")).isNull();
    }

    private HikariConfig pool() {
        return ApplicationPool.of(database);
    }

    @Test
    void open_whenTheApplicationsPoolSetsASchema_usesIt() throws SQLException {
        database.execute("CREATE SCHEMA \"My locks\"");
        HikariConfig pool = pool();
        pool.setSchema("My locks");
        try (HikariDataSource source = new HikariDataSource(pool)) {
            Opened.on(source, NAMESPACE).close();
        }
        assertThat(database.value("SELECT to_regclass('\"My locks\".holdfast_lock')"))
                .isNotNull();
    }

    @Test
    void open_whenAPoolerLosesTheSchemaOfThePool_isRefused() throws SQLException {
        database.execute("CREATE SCHEMA locks");
        HikariConfig pool = new HikariConfig();
        pool.setDataSource(new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return Sessions.withoutSetSchema(database.connect());
            }
        });
        pool.setSchema("locks");
        try (HikariDataSource source = new HikariDataSource(pool)) {
            assertThatThrownBy(() -> Opened.on(source, NAMESPACE).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("the search path is configured as \"locks\"");
        }
    }

    @Test
    void stores_whenSessionsHaveOtherSearchPaths_keepToTheSchemaFoundAtOpening() throws SQLException {
        Opened.store(database.settings()).close();
        database.execute("CREATE SCHEMA locks");
        Opened.store(inSchema("locks")).close();
        AtomicInteger opened = new AtomicInteger();
        AbstractDataSource routing = new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = database.connect();
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET search_path = " + (opened.getAndIncrement() < 4 ? "locks" : "public"));
                }
                return connection;
            }
        };
        try (LockStore routed = Opened.on(routing, NAMESPACE);
                LockStore locks = Opened.store(inSchema("locks"));
                LockStore elsewhere = Opened.store(inSchema("public"))) {
            for (int time = 0; time < 8; time++) {
                granted(routed, acquire("lock " + time, id()));
                assertThat(ask(locks, acquire("lock " + time, id()))).isInstanceOf(LockReply.Busy.class);
                granted(elsewhere, acquire("lock " + time, id()));
            }
            assertThat(opened.get()).as("sessions").isGreaterThan(8);
        }
    }

    @Test
    void authority_whenRoleMayNotUseTheFirstSchema_isRefused() throws SQLException {
        database.execute("CREATE SCHEMA locks");
        try (AuthorityStore owners = Opened.authority("app", inSchema("locks"))) {
            assertThat(owners.peek(Commands.CALL)).isEmpty();
        }
        String role = "barred_" + database.name();
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'barred'");
        Map<String, String> barred =
                inSchema("locks,public", "lock.jdbc.username", role, "lock.jdbc.password", "barred");
        assertThatThrownBy(() -> Opened.authority("app", barred).close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("GRANT USAGE ON SCHEMA locks TO " + role);
    }
}
