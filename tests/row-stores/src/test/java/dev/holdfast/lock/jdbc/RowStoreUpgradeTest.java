package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.h2.H2Dialect;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.jdbc.server.SqliteDatabase;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of several versions of the tables on one database: old ones go on while new ones change the tables. */
@Tag("first-build")
@Timeout(600)
class RowStoreUpgradeTest {

    private static final String VERSION = "SELECT version FROM holdfast_schema";

    /** A session that waits to add the column. */
    private static final String BLOCKED_ON_MARIADB = "SELECT count(*) FROM information_schema.processlist"
            + " WHERE db = DATABASE() AND state LIKE 'Waiting for table metadata lock%'";

    @TempDir
    private Path directory;

    private enum Kind {
        MARIADB,
        H2,
        SQLITE
    }

    private RowDatabase database(Kind kind) {
        return switch (kind) {
            case MARIADB -> MariaDbDatabase.of(MariaDbServer.shared());
            case H2 -> H2Database.inMemory();
            case SQLITE -> SqliteDatabase.in(directory);
        };
    }

    @ParameterizedTest
    @EnumSource
    void deploy_ofANewVersionUnderLoad_excludesThroughoutAndEndsOldClientsOnlyAfterwards(Kind kind) throws Exception {
        RollingDeploy.run(VersionedDatabase.of(database(kind).settings()));
    }

    @ParameterizedTest
    @EnumSource
    void upgrade_thatFailed_leavesOldClientsAndIsCompletedByTheNext(Kind kind) throws SQLException {
        RowDatabase rows = database(kind);
        VersionedDatabase database = VersionedDatabase.of(rows.settings());
        database.store(database.first()).close();
        assertThatThrownBy(() -> database.store(
                        database.second(VersionedDatabase.ADD_TABLE + "UPDATE holdfast_missing SET version = 2;\n")))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("Flyway cannot create or upgrade the tables")
                .hasMessageContainingAll("V2__made_up.sql", "holdfast_missing".substring(9));
        assertThat(rows.number(VERSION)).isEqualTo(1);
        database.store(database.first()).close();
        database.store(database.second()).close();
        assertThat(rows.number(VERSION)).isEqualTo(2);
        database.store(database.first()).close();
        database.storeWithoutMigration(database.second()).close();
    }

    @ParameterizedTest
    @EnumSource
    void scriptsOfANewVersion_byHand_upgradeTablesThatWereMadeByHand(Kind kind) throws SQLException {
        RowDatabase rows = database(kind);
        VersionedDatabase database = VersionedDatabase.of(rows.settings());
        run(rows, database.first().text("V1__tables.sql"));
        database.storeWithoutMigration(database.first()).close();
        assertThatThrownBy(() -> database.storeWithoutMigration(database.second()))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("they are of version 1, this Holdfast needs version 2")
                .hasMessageContaining("To upgrade them by hand, run V2__made_up.sql, in lock-jdbc's jar under");
        run(rows, database.second().text("V2__made_up.sql"));
        run(rows, database.first().text("V1__tables.sql")); // does no harm
        database.storeWithoutMigration(database.second()).close();
        database.store(database.third()).close(); // by Flyway, which has no history
        assertThat(rows.number(VERSION)).isEqualTo(3);
        assertThatThrownBy(() -> database.storeWithoutMigration(database.first()))
                .hasMessageContaining("are of version 3 and serve clients of version 2 or newer");
    }

    /** H2 loses what other sessions commit while it alters a table, or reports errors for it: two clients would hold one lock. */
    @Test
    void scriptsOfH2_neverAlterATable() {
        assertThat(new H2Dialect(new JdbcUrl("jdbc:h2:mem:")).scripts().migrations())
                .noneMatch(script -> script.text().toUpperCase(Locale.ROOT).contains("ALTER TABLE"));
    }

    private static void run(RowDatabase database, String script) throws SQLException {
        String statements = script.replaceAll("--[^\n]*", "");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String each : statements.split(";", -1)) {
                if (!each.isBlank()) {
                    statement.execute(each);
                }
            }
        }
    }

    @Test
    void upgrade_onMariaDbWhoseProcessIsKilledMidWay_leavesOldClientsAndIsCompletedByTheNext() throws Exception {
        RowDatabase rows = database(Kind.MARIADB);
        VersionedDatabase database = VersionedDatabase.of(rows.settings());
        database.store(database.first()).close();
        try (Connection dump = rows.connect()) {
            readTable(dump);
            UpgradingProcess.killWhen(directory, database, () -> rows.number(BLOCKED_ON_MARIADB) > 0);
            database.store(database.first()).close();
        }
        assertThat(rows.number("SELECT count(*) FROM holdfast_made_up"))
                .as("a statement of the upgrade was committed")
                .isZero();
        assertThat(rows.number(VERSION)).isEqualTo(1);
        database.store(database.second()).close();
        assertThat(rows.number(VERSION)).isEqualTo(2);
    }

    @Test
    void upgrade_onMariaDbWhileATransactionReadsTheTables_letsLocksChangeHands() throws Exception {
        RowDatabase rows = database(Kind.MARIADB);
        VersionedDatabase database = VersionedDatabase.of(rows.settings());
        History history = new History();
        try (LockStore store = database.store(database.first());
                Locks locks = Opened.locks(store);
                Contenders contenders = new Contenders(history, List.of("one", "two"), 1);
                Connection dump = rows.connect()) {
            readTable(dump);
            CompletableFuture<LockStore> opening =
                    CompletableFuture.supplyAsync(() -> database.store(database.second()), OwnThread.EACH);
            Await.until("the upgrade waits for the dump", () -> rows.number(BLOCKED_ON_MARIADB) > 0);
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

    /** As a dump of the database does: until the end of the transaction, the table cannot be changed. */
    private static void readTable(Connection dump) throws SQLException {
        dump.setAutoCommit(false);
        try (Statement statement = dump.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM holdfast_lock")) {
            assertThat(rows.next()).isFalse();
        }
    }
}
