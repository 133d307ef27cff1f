package dev.holdfast.lock.composite.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Four processes move money between ten accounts, under the locks of both, which Redis alone grants. Redis fails over to a replica
 * that has not heard of the grants, and processes are stopped past their leases. Two hold a lock at once again and again. With the
 * fence every balance is right all the time; without it money is lost or made.
 */
@Tag("long")
@Timeout(3600)
@Execution(ExecutionMode.CONCURRENT)
class FencedTransfersTest {

    private static final int PROCESSES = 4;
    private static final Duration LONGER_THAN_A_LEASE = Duration.ofMillis(1_200);
    private static final int ROUNDS = 10 * Integer.getInteger("lock.test.scale", 1);

    @TempDir
    Path directory;

    @Test
    void transfers_withFence_keepEveryBalanceWhileLocksHaveTwoHolders(TestReporter reporter) throws Exception {
        try (Bank bank = new Bank(directory, true)) {
            for (int round = 1; round <= ROUNDS || bank.overlaps() == 0; round++) {
                bank.disturb();
                assertThat(bank.wrongBalances())
                        .as("wrong balances after round " + round + bank)
                        .isZero();
            }
            int refused = bank.end();
            assertThat(bank.wrongBalances())
                    .as("wrong balances at the end" + bank)
                    .isZero();
            reporter.publishEntry(bank + ", " + refused + " leases were stale");
        }
    }

    @Test
    void transfers_withoutFence_changeTheSum(TestReporter reporter) throws Exception {
        try (Bank bank = new Bank(directory, false)) {
            while (bank.wrongBalances() == 0) {
                bank.disturb();
            }
            bank.end();
            reporter.publishEntry(bank + ", " + bank.wrongBalances() + " balances are wrong");
        }
    }

    /** The accounts, the processes, and what befalls them. */
    private static final class Bank implements AutoCloseable {

        private final PostgresServer server = PostgresServer.shared();
        private final String url = server.newDatabase();
        private final Site site = new Site();
        private final History history;
        private final List<Worker> processes = new ArrayList<>();
        private final long seed = System.nanoTime();
        private final Random random = new Random(seed);
        private int failovers;
        private int stops;

        Bank(Path directory, boolean isFenced) throws Exception {
            history = new History(directory);
            try (Connection connection = server.connect(url);
                    Statement statement = connection.createStatement()) {
                Fence.create().createTable(connection);
                statement.execute("CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL)");
                statement.execute("CREATE TABLE transfer (source integer, target integer, amount integer)");
                statement.execute("INSERT INTO account SELECT id, " + TransferProcess.BALANCE
                        + " FROM generate_series(0, " + (TransferProcess.ACCOUNTS - 1) + ") id");
            }
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(Worker.start(
                        TransferProcess.class,
                        directory,
                        "process-" + i,
                        site.redisAlone(),
                        history,
                        List.of(
                                url,
                                server.username(),
                                server.password(),
                                Boolean.toString(isFenced),
                                Long.toString(random.nextLong()))));
            }
            for (Worker each : processes) {
                each.awaitSaid(TransferProcess.READY);
            }
        }

        /** Redis fails over, or a process is stopped past its leases, or both at once. */
        void disturb() throws Exception {
            boolean stop = random.nextInt(3) == 0;
            boolean failOver = !stop || random.nextBoolean();
            awaitTransfers("before something happens");
            if (failOver) {
                failovers++;
                site.cutReplication();
                awaitEndOfLeases(System.nanoTime()); // those that the replica knows of
                awaitTransfers("that the replica does not hear of");
            }
            if (stop) {
                stops++;
                stopPastItsLeases(processes.get(random.nextInt(PROCESSES)), failOver);
            } else {
                site.promote();
            }
            if (failOver) {
                awaitTransfers("by the promoted replica");
                site.unite();
            }
        }

        /** Others may wait for its transaction, so nothing is awaited of them meanwhile. */
        private void stopPastItsLeases(Worker worker, boolean failOver) throws Exception {
            worker.signal("STOP");
            long since = System.nanoTime();
            if (failOver) {
                site.promote();
            }
            awaitEndOfLeases(since);
            worker.signal("CONT");
        }

        private static void awaitEndOfLeases(long since) {
            Await.until("the leases are over", () -> System.nanoTime() - since > LONGER_THAN_A_LEASE.toNanos());
        }

        private void awaitTransfers(String when) {
            int before = history.count();
            Await.until("locks are granted " + when, () -> history.count() > before + PROCESSES);
        }

        /** How often two processes held a lock at the same time. */
        long overlaps() {
            return history.violations().stream()
                    .filter(each -> each.startsWith("two holders"))
                    .count();
        }

        /** How many balances are not what the transfers of the account come to. */
        int wrongBalances() throws SQLException {
            try (Connection connection = server.connect(url);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT count(*) FROM account a WHERE a.balance <> "
                            + TransferProcess.BALANCE
                            + " + (SELECT coalesce(sum(CASE WHEN t.target = a.id THEN t.amount ELSE -t.amount END), 0)"
                            + " FROM transfer t WHERE a.id IN (t.source, t.target))")) {
                row.next();
                return row.getInt(1);
            }
        }

        /** Ends the processes, and returns how many leases the fence has refused. */
        int end() throws Exception {
            int refused = 0;
            for (Worker each : processes) {
                each.endInput();
            }
            for (Worker each : processes) {
                refused += Integer.parseInt(each.awaitSaid(TransferProcess.REFUSED));
                each.awaitEnd();
            }
            return refused;
        }

        @Override
        public String toString() {
            return " (seed " + seed + "): " + failovers + " failovers, " + stops + " stopped processes, "
                    + history.count() + " holds, " + overlaps() + " times two holders at once";
        }

        @Override
        public void close() {
            processes.forEach(Worker::close);
            site.close();
        }
    }
}
