package dev.holdfast.lock.jdbc.waiting;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A thousand threads, once each, one lock: Holdfast beside raw {@code SELECT … FOR UPDATE} of a row, on the same server, in
 * alternate rounds of one run. Prints the times and their ratio; a measurement, not a test.
 */
final class ThousandThreads {

    private static final int THREADS = 1_000;
    private static final int ROUNDS = 7;
    private static final int POOL = 8;

    /** What each thread does. */
    @FunctionalInterface
    private interface Once {
        void take() throws Exception;
    }

    private ThousandThreads() {}

    @SuppressWarnings("SystemOut") // what it is for
    public static void main(String[] arguments) throws Exception {
        List<Double> holdfast = new ArrayList<>();
        List<Double> raw = new ArrayList<>();
        try (PostgresServer server = PostgresServer.own()) {
            Database database = Database.on(server);
            database.execute("CREATE TABLE raw (id bigint PRIMARY KEY); INSERT INTO raw VALUES (1)");
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(database.url());
            config.setUsername(server.username());
            config.setPassword(server.password());
            config.setMaximumPoolSize(POOL);
            config.setConnectionTimeout(120_000);
            config.setAutoCommit(false);
            try (HikariDataSource pool = new HikariDataSource(config);
                    Locks locks = database.open("lock.jdbc.pool-size", Integer.toString(POOL))) {
                DistributedLock lock = locks.named("job");
                for (int round = 0; round < ROUNDS; round++) {
                    holdfast.add(millis(() -> {
                        try (Lease lease = lock.acquire()) {
                            lease.ensureHeld();
                        }
                    }));
                    raw.add(millis(() -> {
                        try (Connection connection = pool.getConnection();
                                PreparedStatement row =
                                        connection.prepareStatement("SELECT id FROM raw WHERE id = 1 FOR UPDATE")) {
                            row.executeQuery();
                            connection.commit();
                        }
                    }));
                }
            }
        }
        System.out.printf("1,000 threads, once each, one lock, ms (median of %d rounds; the first is in it)%n", ROUNDS);
        System.out.printf("Holdfast               %8.0f  %s%n", median(holdfast), holdfast);
        System.out.printf("SELECT … FOR UPDATE    %8.0f  %s%n", median(raw), raw);
        System.out.printf("ratio                  %8.2f%n", median(holdfast) / median(raw));
    }

    private static double millis(Once once) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    once.take();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        long from = System.nanoTime();
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        return (System.nanoTime() - from) / 1e6;
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElseThrow();
    }
}
