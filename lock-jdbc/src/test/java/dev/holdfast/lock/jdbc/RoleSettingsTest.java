package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A role that owns nothing and has settings that suit another application: its locks work as any other's. */
@ParameterizedClass
@ValueSource(
        strings = {
            "default_transaction_isolation = 'repeatable read'; default_transaction_read_only = on",
            "default_transaction_isolation = 'serializable'; default_transaction_deferrable = on; synchronous_commit = off",
            "default_transaction_read_only = on; row_security = off",
            "lock_timeout = 1; idle_in_transaction_session_timeout = 1",
            "timezone = 'Asia/Kathmandu'; intervalstyle = 'iso_8601'; bytea_output = 'escape'; lc_messages = 'C';"
                    + " standard_conforming_strings = off; transform_null_equals = on; array_nulls = off",
            "client_min_messages = 'error'; search_path = pg_catalog, public; plan_cache_mode = 'force_generic_plan';"
                    + " enable_indexscan = off",
        })
@Tag("first-build")
class RoleSettingsTest {

    private static final Namespace NAMESPACE = new Namespace("test");

    private final String settings;
    private final Postgres database = Postgres.withTables();
    private final String role = "set_" + database.name();

    RoleSettingsTest(String settings) {
        this.settings = settings;
    }

    @BeforeEach
    void makeRole() throws SQLException {
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'set';"
                + " GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + role);
        for (String setting : settings.replace(';', '\n').lines().toList()) {
            database.execute("ALTER ROLE " + role + " SET " + setting);
        }
    }

    @Test
    void store_onItsOwnPool_works() {
        try (LockStore store =
                Opened.store(database.settings("lock.jdbc.username", role, "lock.jdbc.password", "set"))) {
            works(store);
        }
    }

    @Test
    void store_onAnApplicationsPool_works() {
        HikariConfig config = ApplicationPool.of(database);
        config.setUsername(role);
        config.setPassword("set");
        config.setMaximumPoolSize(3);
        try (HikariDataSource source = new HikariDataSource(config);
                LockStore store = Opened.on(source, NAMESPACE)) {
            works(store);
        }
    }

    private static void works(LockStore store) {
        AcquisitionId holder = id();
        AcquisitionId waiter = id();
        LockReply.Granted first = granted(store, acquire("O'Brien\\", holder));
        assertThat(first.remaining()).isLessThanOrEqualTo(LEASE);
        waiting(store, queue("O'Brien\\", waiter));
        granted(store, renew("O'Brien\\", holder, LEASE));
        assertThat(store.list("", CALL)).extracting(LockInfo::name).containsExactly(new LockName("O'Brien\\"));
        assertThat(Diagnosed.errors(store.diagnose(CALL))).isEmpty();
        assertThat(ask(store, release("O'Brien\\", holder, Duration.ZERO, LEASE)))
                .isEqualTo(new LockReply.Released(true));
        assertThat(ask(store, acquire("O'Brien\\", holder))).isEqualTo(new LockReply.Gone());
        assertThat(granted(store, queue("O'Brien\\", waiter)).token()).isGreaterThan(first.token());
        assertThat(store.execute(List.of(release("O'Brien\\", waiter), acquire("b", id()), acquire("a", id())), CALL))
                .hasOnlyElementsOfTypes(LockReply.Released.class, LockReply.Granted.class);
    }

    @Test
    void authority_works() {
        try (AuthorityStore authority = Opened.authority(
                "composite", database.settings("lock.jdbc.username", role, "lock.jdbc.password", "set"))) {
            authority.initialize(Duration.ofMinutes(10), 0, CALL);
            assertThat(authority.execute(1, List.of(acquire("a", id())), CALL))
                    .hasOnlyElementsOfType(LockReply.Granted.class);
            assertThat(authority.transition(new Transition.BeginFailback(1, "replication-id"), CALL))
                    .isTrue();
            assertThat(authority.transition(new Transition.ActivatePrimary(2), CALL))
                    .isTrue();
            assertThat(authority.transition(new Transition.DrainPrimary(2, "a test"), CALL))
                    .isTrue();
            TransferredLease lease = new TransferredLease(
                    new LockName("a"), id(), 7, Duration.ZERO, LEASE, false, "a test", Share.EXCLUSIVE);
            assertThat(authority.assertLeases(3, List.of(lease), CALL)).hasOnlyElementsOfType(LockReply.Granted.class);
        }
    }
}
