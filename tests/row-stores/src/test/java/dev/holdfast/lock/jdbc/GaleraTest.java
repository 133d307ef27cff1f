package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.fencing.StaleLeaseException;
import dev.holdfast.lock.jdbc.server.GaleraCluster;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.OwnThread;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients on different nodes of a Galera cluster, on one clock: row locks exclude on one node only, and of transactions that changed
 * the same row on two nodes the cluster rolls one back. {@code -Dlock.test.galera.provider} names Galera's library.
 */
@Tag("second-build")
@Timeout(600)
class GaleraTest {

    private static final int HOLDS = 200 * Integer.getInteger("lock.test.scale", 1);
    private static final int ENTRIES = 100;

    private static GaleraCluster cluster;

    private final History history = new History();

    @BeforeAll
    static void start() {
        assumeTrue(System.getProperty(GaleraCluster.PROVIDER) != null, "Galera is no artifact of the build");
        cluster = new GaleraCluster(3);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Locks open(MariaDbDatabase database) {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc", "lock.lease", "10m", "lock.call-timeout", "2m"));
        return LocksOpener.open(settings);
    }

    @Test
    void exclusiveLocks_ofClientsOnSeveralNodes_neverOverlap() throws Exception {
        contend(false);
    }

    @Test
    void sharesAndExclusiveLocks_ofClientsOnSeveralNodes_neverOverlap() throws Exception {
        contend(true);
    }

    private void contend(boolean isMixed) throws Exception {
        long seed = System.nanoTime();
        List<Locks> open = new ArrayList<>();
        try (Contenders contenders = new Contenders(history, List.of("one", "two"), seed)) {
            for (MariaDbDatabase each : cluster.newDatabase()) {
                Locks locks = open(each);
                open.add(locks);
                if (isMixed) {
                    contenders.beginMixed("on node " + open.size(), locks, 3);
                } else {
                    contenders.begin("on node " + open.size(), locks, 3);
                }
            }
            Await.until("enough holds", () -> history.count() >= HOLDS);
            contenders.awaitProgress("at last");
            contenders.end();
            history.verify(HOLDS);
        } finally {
            open.forEach(Locks::close);
        }
    }

    @Test
    void stores_thatAreOpenedOnSeveralNodesAtOnce_createTheTables() throws Exception {
        List<CompletableFuture<Void>> opened = new ArrayList<>();
        for (MariaDbDatabase each : cluster.newDatabase()) {
            opened.add(CompletableFuture.runAsync(() -> open(each).close(), OwnThread.EACH));
        }
        for (CompletableFuture<Void> each : opened) {
            Await.result(each);
        }
    }

    /** Each transaction on a node of its own, with its own token, which is repeated while the cluster rolls it back. */
    @Test
    void fencedTransactions_onSeveralNodes_areSerialInTheOrderOfTheirTokens() throws Exception {
        List<MariaDbDatabase> databases = cluster.newDatabase();
        Fence fence = Fence.create();
        try (Connection connection = databases.get(0).connect();
                Statement statement = connection.createStatement()) {
            fence.createTable(connection);
            statement.execute("CREATE TABLE counter (id INTEGER PRIMARY KEY, number INTEGER NOT NULL)");
            statement.execute("INSERT INTO counter VALUES (1, 0)");
        }
        AtomicLong tokens = new AtomicLong(1_000);
        ConcurrentSkipListMap<Long, Integer> written = new ConcurrentSkipListMap<>();
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (MariaDbDatabase each : databases) {
            Await.until("the table is on each node", () -> each.number("SELECT count(*) FROM counter") == 1);
            running.add(CompletableFuture.runAsync(
                    () -> {
                        for (int entry = 0; entry < ENTRIES; entry++) {
                            enter(each, fence, tokens, written);
                        }
                    },
                    OwnThread.EACH));
        }
        for (CompletableFuture<Void> each : running) {
            Await.result(each);
        }
        assertThat(List.copyOf(written.values())).as("%s", written).isSorted().doesNotHaveDuplicates();
        assertThat(databases.get(0).number("SELECT number FROM counter")).isEqualTo(3L * ENTRIES);
    }

    private static void enter(
            MariaDbDatabase database, Fence fence, AtomicLong tokens, ConcurrentSkipListMap<Long, Integer> written) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            while (true) {
                long token = tokens.incrementAndGet();
                try {
                    fence.enter(connection, "counter", token);
                    int next;
                    try (ResultSet row = statement.executeQuery("SELECT number + 1 FROM counter")) {
                        row.next();
                        next = row.getInt(1);
                    }
                    statement.execute("UPDATE counter SET number = " + next);
                    connection.commit();
                    written.put(token, next);
                    return;
                } catch (StaleLeaseException e) {
                    connection.rollback(); // another one was later, and faster
                } catch (SQLException e) {
                    assertThat(e.getErrorCode()).as("%s", e).isEqualTo(1213);
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void diagnosis_ofANode_warnsThatEachNodeHasItsOwnClock() throws Exception {
        MariaDbDatabase database = cluster.newDatabase().get(1);
        assertThat(Diagnosed.finding(database.settings(), "replication")).satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
            assertThat(finding.found()).contains("Galera");
        });
    }

    @Test
    void grant_throughANodeThatIsKilled_standsOnTheOthersUntilTheyAreAMinority() throws Exception {
        try (GaleraCluster broken = new GaleraCluster(3)) {
            List<MariaDbDatabase> databases = broken.newDatabase();
            List<MariaDbServer> nodes = broken.nodes();
            try (LockStore third = Opened.store(databases.get(2).settings())) {
                granted(third, acquire("kept", id()));
                nodes.get(2).kill();
            }
            GaleraCluster.awaitSize(2, nodes.subList(0, 2));
            try (LockStore first = Opened.store(databases.get(0).settings())) {
                assertThat(ask(first, acquire("kept", id()))).isInstanceOf(LockReply.Busy.class);
                nodes.get(1).kill();
                GaleraCluster.awaitMinority(nodes.get(0));
                assertThatThrownBy(() -> ask(first, acquire("free", id())))
                        .isInstanceOf(LockUnavailableException.class);
            }
        }
    }
}
