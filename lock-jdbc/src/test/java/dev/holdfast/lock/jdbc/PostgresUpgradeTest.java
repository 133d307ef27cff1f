package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.OwnThread;
import dev.holdfast.lock.testing.StandardError;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Clients of several versions of the schema on one PostgreSQL: old ones go on while new ones change the tables and functions. */
@Tag("second-build")
@Order(1)
class PostgresUpgradeTest {

    private static final String COMMENTED =
            "SELECT count(*) FROM pg_proc WHERE proname LIKE 'holdfast%' AND prosrc LIKE '%-- ";

    private static final String BLOCKED = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            + " AND wait_event_type = 'Lock' AND query LIKE '%ADD COLUMN%made_up%'";

    @TempDir
    private Path directory;

    private final Postgres postgres = Postgres.database();
    private final VersionedDatabase database = VersionedDatabase.of(postgres.settings());

    @Test
    void deploy_ofANewVersionUnderLoad_excludesThroughoutAndEndsOldClientsOnlyAfterwards() throws Exception {
        RollingDeploy.run(database);
        // A change of the tables gives up after a moment, so as not to hold up commands, and is tried again.
        assertThat(postgres.log().lines().filter(line -> !line.endsWith("canceling statement due to lock timeout")))
                .noneMatch(line -> line.contains("ERROR:") || line.contains("FATAL:"));
    }

    @Test
    void upgrade_whileATransactionReadsTheTables_letsLocksChangeHands() throws Exception {
        History history = new History();
        try (LockStore store = database.store(database.first());
                Locks locks = Opened.locks(store);
                Contenders contenders = new Contenders(history, List.of("one", "two"), 1);
                Connection dump = postgres.connect();
                Statement statement = dump.createStatement()) {
            dump.setAutoCommit(false);
            statement.execute("LOCK TABLE holdfast_lock IN ACCESS SHARE MODE");
            CompletableFuture<LockStore> opening =
                    CompletableFuture.supplyAsync(() -> database.store(database.second()), OwnThread.EACH);
            Await.until(
                    "the upgrade waits for the dump",
                    () -> !postgres.value(BLOCKED).equals("0"));
            contenders.begin("client", locks, 2);
            contenders.awaitProgress("while the upgrade is tried");
            contenders.awaitProgress("while the upgrade is tried again");
            assertThat(opening).isNotDone();
            dump.rollback();
            Await.result(opening).close();
            contenders.awaitProgress("after the upgrade");
            contenders.end();
            assertThat(contenders.unavailable()).isEmpty();
        }
        history.verify(10);
    }

    @Test
    void upgrade_whoseProcessIsKilledMidWay_leavesOldClientsAndIsCompletedByTheNext() throws Exception {
        database.store(database.first()).close();
        try (Connection dump = postgres.connect();
                Statement statement = dump.createStatement()) {
            dump.setAutoCommit(false);
            statement.execute("LOCK TABLE holdfast_lock IN ACCESS SHARE MODE");
            UpgradingProcess.killWhen(
                    directory, database, () -> !postgres.value(BLOCKED).equals("0"));
            database.store(database.first()).close();
        }
        assertThat(postgres.value("SELECT version FROM holdfast_schema")).isEqualTo("1");
        database.store(database.second()).close();
        assertThat(postgres.value("SELECT version FROM holdfast_schema")).isEqualTo("2");
        database.store(database.first()).close();
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void changesOfTablesAndFunctions_areLogged() {
        try (StandardError log = StandardError.listen()) {
            database.store(database.first()).close();
            database.store(database.second()).close();
            database.store(database.first()).close();

            String info = "INFO dev.holdfast.lock.jdbc.schema.SchemaInstaller - ";
            assertThat(log.lines())
                    .anyMatch(line -> line.contains(info + "changing the tables of Holdfast: they are of version 1,"))
                    .anyMatch(line -> line.contains(info + "creating the functions of Holdfast, of version 2: "))
                    .anyMatch(line ->
                            line.contains(info + "the tables of Holdfast are of version 2, newer than version 1 of"
                                    + " this Holdfast, and serve it, too"));
        }
    }

    @Test
    void open_whenACorrectedFunctionIsOfTheSameVersion_createsItOrNamesTheScript() throws SQLException {
        database.store(database.first()).close();
        SchemaScripts corrected = VersionedDatabase.corrected(database.first(), "corrected");
        assertThatThrownBy(() -> database.storeWithoutMigration(corrected))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessage(
                        "the tables of Holdfast cannot be used: the functions are those of another Holdfast, older or with"
                                + " other corrections; lock.jdbc.migrate is false. To create them by hand, run functions.sql, in"
                                + " lock-jdbc's jar under dev/holdfast/lock/jdbc/postgresql");
        assertThat(postgres.value(COMMENTED + "corrected%'")).isEqualTo("0");
        database.store(corrected).close();
        assertThat(postgres.value(COMMENTED + "corrected%'")).isNotEqualTo("0");
        database.storeWithoutMigration(corrected).close();
    }

    @Test
    void open_whenTablesAreOlderAndMigrateIsFalse_namesTheScriptsThatAreLacking() {
        database.store(database.first()).close();
        assertThatThrownBy(() -> database.storeWithoutMigration(database.third()))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessage(
                        "the tables of Holdfast cannot be used: they are of version 1, this Holdfast needs version 3;"
                                + " lock.jdbc.migrate is false. To upgrade them by hand, run V2__made_up.sql, then V3__made_up.sql,"
                                + " then functions.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/postgresql");
    }

    @Test
    void scriptsOfANewVersion_byHand_upgradeTablesThatWereMadeByHandOrByFlyway() throws SQLException {
        for (boolean byFlyway : List.of(true, false)) {
            Postgres other = Postgres.database();
            VersionedDatabase its = VersionedDatabase.of(other.settings());
            if (byFlyway) {
                its.store(its.first()).close();
            } else {
                run(other, its.first(), its.first().names());
            }
            run(other, its.second(), List.of("V2__made_up.sql", "functions.sql"));
            its.storeWithoutMigration(its.second()).close();
            its.storeWithoutMigration(its.first()).close();
            its.store(its.third()).close(); // by Flyway, whose history lacks what was run by hand
            its.storeWithoutMigration(its.second()).close();
        }
    }

    private static void run(Postgres database, SchemaScripts scripts, List<String> names) throws SQLException {
        for (String name : names) {
            database.execute(scripts.text(name));
        }
    }

    @Test
    void functionsOfAnOlderVersion_byHand_areRefusedAndLeaveTheNewerOnes() throws SQLException {
        database.store(database.second()).close();
        assertThatThrownBy(() -> run(postgres, database.first(), List.of("functions.sql")))
                .hasMessageContaining("are of version 2, these functions are of version 1: use the newer ones");
        run(postgres, database.first(), List.of("V1__tables.sql"));
        assertThat(postgres.value("SELECT version FROM holdfast_schema")).isEqualTo("2");
        database.storeWithoutMigration(database.second()).close();
    }

    @Test
    void functionsOfANewVersion_withoutItsTables_areRefused() {
        database.store(database.first()).close();
        assertThatThrownBy(() -> run(postgres, database.second(), List.of("functions.sql")))
                .hasMessageContaining(
                        "are of version 1, these functions need version 2: run the scripts of the tables first");
    }

    @Test
    void open_betweenTheTablesAndTheFunctionsOfAnUpgrade_servesOldClientsAndIsCompletedByNewOnes() throws SQLException {
        database.store(database.first()).close();
        run(postgres, database.second(), List.of("V2__made_up.sql"));
        database.store(database.first()).close();
        database.storeWithoutMigration(database.first()).close();
        assertThatThrownBy(() -> database.storeWithoutMigration(database.second()))
                .hasMessageContaining("To create them by hand, run functions.sql,");
        database.store(database.second()).close();
        assertThat(postgres.value(COMMENTED + "version 2%'")).isNotEqualTo("0");
    }

    @Test
    void open_whenANewerFunctionWasAltered_leavesItToANewerHoldfast() throws SQLException {
        database.store(database.second()).close();
        postgres.execute("ALTER FUNCTION holdfast_prune VOLATILE COST 7 SET work_mem = '8MB'");
        assertThatThrownBy(() -> database.store(database.first()))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("a function is missing, altered")
                .hasMessageContaining("they are of version 2, which this Holdfast of version 1 does not repair");
        database.store(database.second()).close();
        database.store(database.first()).close();
    }

    @Test
    void createFunctions_withTheEndsOfLinesOfAnotherSystem_areThoseOfTheJar() throws SQLException {
        for (String script : new PostgreSql().scripts().names()) {
            postgres.execute(new PostgreSql().scripts().text(script).replace("\n", "\r\n"));
        }
        Opened.store(postgres.settings("lock.jdbc.migrate", "false")).close();
    }
}
