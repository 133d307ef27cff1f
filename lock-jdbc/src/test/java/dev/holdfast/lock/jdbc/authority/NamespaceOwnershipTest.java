package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A namespace belongs to a composite or to plain stores; and what an authority needs. */
@Tag("first-build")
class NamespaceOwnershipTest {

    private static final Namespace NAMESPACE = new Namespace("app");

    private final Postgres database = Postgres.database();
    private final JdbcLockProvider provider = new JdbcLockProvider();

    @TempDir
    private Path directory;

    @Test
    void plainStore_inACompositesNamespace_isRefused() throws SQLException {
        Opened.store("app", database.settings()).close();
        Authority.founded(database).close();
        refused(() -> Opened.store("app", database.settings()).close());
        refused(() -> provider.openExisting(NAMESPACE, Opened.config(database.settings()))
                .close());
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        source.setUser(database.server().username());
        source.setPassword(database.server().password());
        refused(() -> Opened.on(source, NAMESPACE).close());
        try (LockStore other = Opened.store("other", database.settings())) {
            granted(other, acquire("a", id()));
        }
    }

    private static void refused(ThrowingCallable opening) {
        assertThatThrownBy(opening)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("the namespace app")
                .hasMessageContaining("lock.provider=composite")
                .hasMessageContaining("another lock.namespace");
    }

    @Test
    void openAuthority_onSqlite_isRefused() {
        assertThatThrownBy(() -> Opened.authority(
                                "app", Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("locks")))
                        .close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.jdbc.url")
                .hasMessageContaining("jdbc:postgresql://");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void openAuthority_toReadOnly_createsNothing() throws SQLException {
        assertThatThrownBy(() -> provider.openAuthority(NAMESPACE, Opened.config(database.settings()), false)
                        .close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there are no tables of Holdfast")
                .hasMessageContaining("V1__tables.sql");
        assertThat(database.value("SELECT to_regclass('holdfast_lock')")).isNull();
        Authority.founded(database).close();
        try (Authority looking =
                new Authority(provider.openAuthority(NAMESPACE, Opened.config(database.settings()), false))) {
            assertThat(looking.state().epoch()).isEqualTo(1);
        }
    }

    @Test
    void open_afterAnInterruptedMigration_completesItAndKeepsTheRows() throws SQLException {
        Flyway.configure()
                .dataSource(
                        database.url(),
                        database.server().username(),
                        database.server().password())
                .table("holdfast_history")
                .locations("classpath:" + new PostgreSql().scripts().folder())
                .target("1")
                .placeholderReplacement(false)
                .load()
                .migrate();
        database.execute(
                "INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state, waiter_count)"
                        + " VALUES ('app', 'a', 9000000000000, 'before', now(), now(), 'free', 0)");
        assertThatThrownBy(() -> Opened.store("app", database.settings("lock.jdbc.migrate", "false"))
                        .close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("a function is missing");
        try (LockStore plain = Opened.store("app", database.settings())) {
            AcquisitionId id = id();
            assertThat(granted(plain, acquire("a", id)).token()).isGreaterThan(9_000_000_000_000L);
            plain.execute(List.of(release("a", id)), CALL);
        }
        Authority.founded(database).close();
    }

    @Test
    void documentedRights_sufficeAndMissingOnesAreNamed() throws SQLException {
        Authority.founded(database).close();
        String role = "authority_" + database.value("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'authority';"
                + "GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_lock, holdfast_share, holdfast_waiter, holdfast_tombstone TO "
                + role
                + "; GRANT SELECT, UPDATE ON holdfast_token_floor TO " + role
                + "; REVOKE EXECUTE ON FUNCTION holdfast_change_authority_state FROM PUBLIC");
        try (Authority authority =
                Authority.on(database, "lock.jdbc.username", role, "lock.jdbc.password", "authority")) {
            String advice = authority.store().diagnose(CALL).stream()
                    .filter(finding -> finding.severity() == Finding.Severity.ERROR)
                    .map(Finding::advice)
                    .reduce("", String::concat);
            assertThat(advice)
                    .contains("GRANT INSERT, UPDATE ON public.holdfast_authority_state TO " + role)
                    .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON public.holdfast_member TO " + role)
                    .contains("GRANT EXECUTE ON FUNCTION public.holdfast_change_authority_state");
            database.execute(advice.substring(advice.indexOf("GRANT")));
            assertThat(authority.store().diagnose(CALL))
                    .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Finding.Severity.OK));
            authority.granted(1, acquire("a", id()));
            AcquisitionId member = id();
            assertThat(authority.read(member, 0).members()).isEqualTo(1);
            authority.store().leave(member, CALL);
            authority.drain();
        }
        database.execute("DELETE FROM holdfast_authority_state; DELETE FROM holdfast_lock");
        try (Authority authority =
                Authority.on(database, "lock.jdbc.username", role, "lock.jdbc.password", "authority")) {
            authority.found();
        }
    }
}
