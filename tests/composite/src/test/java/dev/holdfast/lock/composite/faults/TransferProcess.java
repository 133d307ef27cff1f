package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.fencing.StaleLeaseException;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.LocksOpener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that moves money between accounts until its input ends: it locks both, reads both balances, and writes what it computed
 * from them. Arguments: the configuration of the locks, the file of its claims, URL, user and password of the bank, whether it
 * enters a fence, its seed.
 */
final class TransferProcess {

    static final int ACCOUNTS = 10;
    static final int BALANCE = 1_000;
    static final String READY = "ready";
    static final String REFUSED = "refused";

    private static final int THREADS = 3;
    private static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(5);
    private static final int LONGEST_HOLD_MILLIS = 400;

    private final Locks locks;
    private final Claims claims;
    private final String[] bank;
    private final Fence fence = Fence.create();
    private final boolean isFenced;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger refused = new AtomicInteger();

    private TransferProcess(Locks locks, Claims claims, String[] arguments) {
        this.locks = locks;
        this.claims = claims;
        this.bank = arguments;
        this.isFenced = Boolean.parseBoolean(arguments[5]);
    }

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    public static void main(String[] arguments) throws Exception {
        try (Claims claims = Claims.to(Path.of(arguments[1]));
                Locks locks = LocksOpener.open(Path.of(arguments[0]))) {
            TransferProcess process = new TransferProcess(locks, claims, arguments);
            Random seeds = new Random(Long.parseLong(arguments[6]));
            List<FutureTask<?>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seeds.nextLong());
                FutureTask<?> thread = new FutureTask<>(() -> process.transferUntilOver(random), null);
                threads.add(thread);
                new Thread(thread, "transfers-" + i).start();
            }
            System.out.println(READY);
            awaitEndOfInput();
            process.over.set(true);
            for (FutureTask<?> each : threads) {
                each.get();
            }
            System.out.println(REFUSED + " " + process.refused);
        }
    }

    private static void awaitEndOfInput() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (in.readLine() != null) {
                // nothing is sent but the end of the stream
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("SystemOut") // the log of the process
    private void transferUntilOver(Random random) {
        try (Connection connection = DriverManager.getConnection(bank[2], bank[3], bank[4])) {
            connection.setAutoCommit(false);
            while (!over.get()) {
                int one = random.nextInt(ACCOUNTS);
                int other = (one + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                try (LeaseGroup both = locks.acquireAll(List.of(name(one), name(other)), ACQUIRE_TIMEOUT)) {
                    transfer(connection, both, Math.min(one, other), Math.max(one, other), random);
                } catch (LockException e) { // of a store that fails over, or a lease that ended
                    System.err.println(e);
                    connection.rollback();
                    if (e instanceof StaleLeaseException) {
                        refused.incrementAndGet();
                    }
                }
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void transfer(Connection connection, LeaseGroup both, int from, int to, Random random) throws SQLException {
        long claimOfOne = claims.granted(name(from), both.fencingToken(name(from)));
        long claimOfOther = claims.granted(name(to), both.fencingToken(name(to)));
        if (isFenced) {
            fence.enter(connection, both);
        }
        int balanceOfOne = balance(connection, from);
        int balanceOfOther = balance(connection, to);
        int amount = random.nextInt(100) - 50;
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2 + random.nextInt(LONGEST_HOLD_MILLIS)));
        update(connection, "UPDATE account SET balance = ? WHERE id = ?", balanceOfOne - amount, from);
        update(connection, "UPDATE account SET balance = ? WHERE id = ?", balanceOfOther + amount, to);
        update(connection, "INSERT INTO transfer (source, target, amount) VALUES (?, ?, ?)", from, to, amount);
        claims.isHeld(claimOfOne, both::isHeld);
        claims.isHeld(claimOfOther, both::isHeld);
        connection.commit();
    }

    static String name(int account) {
        return "account:" + account;
    }

    private static int balance(Connection connection, int account) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
            select.setInt(1, account);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static void update(Connection connection, String sql, int... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setInt(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
