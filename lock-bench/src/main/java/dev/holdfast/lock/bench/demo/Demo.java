package dev.holdfast.lock.bench.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.bench.demo.Timeline.Side;
import dev.holdfast.lock.bench.server.PostgresServer;
import dev.holdfast.lock.bench.server.RedisServer;
import dev.holdfast.lock.bench.server.Workspace;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * {@code lock-bench/demo}: shows what a failover of Redis does to a lock. The replication breaks, a grant is not replicated, the primary
 * is killed, the replica takes its place: under plain Redis, and under the composite of that Redis and a PostgreSQL.
 */
public final class Demo {

    private static final String DEFAULT_AUTHORITY_LEASE = "2s";

    private static final String TITLE = """
            Which process holds the lock 'stock'? One shop asks Redis alone, another one the composite of the
            same Redis and a PostgreSQL. Then the Redis primary dies, with grants that its replica never got.
            """;

    private static final String CONCLUSION = """
            The primary died with grants that its replica had not received. Plain Redis granted the lock once
            more while its holder was at work; only the fencing tokens tell those two apart. In the composite
            the database first took the right to grant from Redis, took over what was held, granted in its
            place, and let Redis grant again after it had been healthy for a while.""";

    private static final Duration MIN_AUTHORITY_LEASE = Duration.ofMillis(500);
    private static final long AUTHORITY_POLL_NANOS = 20_000_000;
    private static final int FAILED = 1;
    private static final int USAGE = 64;
    private static final String REDIS = "redis";
    private static final String JDBC = "jdbc";

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    private final TimelineRecorder recorder = new TimelineRecorder(out);
    private final List<DemoWorker> workers = new ArrayList<>();

    private Demo() {}

    /** @param arguments the authority lease of the composite, unless it is {@value #DEFAULT_AUTHORITY_LEASE} */
    public static void main(String[] arguments) throws Exception {
        Demo demo = new Demo();
        if (arguments.length > 1 || !Stream.of(arguments).allMatch(Demo::isAuthorityLease)) {
            demo.out.println("usage: demo [AUTHORITY-LEASE]: shows a failover of Redis; the authority lease is "
                    + DEFAULT_AUTHORITY_LEASE + " by default and at least " + DurationText.format(MIN_AUTHORITY_LEASE));
            System.exit(USAGE);
        }
        Workspace workspace = Workspace.open();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            demo.recorder.close();
                            workspace.close();
                        },
                        "closes the workspace"));
        Timeline timeline = demo.run(workspace, arguments.length > 0 ? arguments[0] : DEFAULT_AUTHORITY_LEASE);
        System.exit(demo.conclude(timeline) ? 0 : FAILED);
    }

    private static boolean isAuthorityLease(String text) {
        try {
            return DurationText.parse(text).compareTo(MIN_AUTHORITY_LEASE) >= 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private Timeline run(Workspace workspace, String authorityLease) throws Exception {
        out.println(TITLE);
        out.println("starting a PostgreSQL, a Redis primary and its replica …");
        PostgresServer postgres = PostgresServer.start(workspace);
        RedisServer primary = RedisServer.primary(workspace);
        try (FaultyProxy address = new FaultyProxy(RedisServer.address(primary.port()));
                FaultyProxy replication = new FaultyProxy(RedisServer.address(primary.port()))) {
            RedisServer replica = RedisServer.replica(workspace, replication);
            Path directory = workspace.newDirectory("configurations");
            String redis = "lock.redis.uri=redis://127.0.0.1:" + address.port() + "\n";
            Path plain = Files.writeString(
                    directory.resolve("plain.properties"), "lock.provider=redis\nlock.namespace=plain\n" + redis);
            String database = "lock.jdbc.url=" + postgres.url() + "\nlock.jdbc.username=postgres\n";
            Path tables = Files.writeString(
                    directory.resolve("tables.properties"), "lock.provider=jdbc\nlock.namespace=tables\n" + database);
            Locks.open(tables).close(); // creates them before several processes try to at the same time
            Path composite = Files.writeString(
                    directory.resolve("composite.properties"),
                    "lock.provider=composite\nlock.namespace=composite\nlock.composite.authority-lease="
                            + authorityLease + "\n" + redis + database);

            out.println("starting five processes, each of which wants the lock …\n");
            DemoWorker plainAda = worker(Side.PLAIN, "ada", plain);
            DemoWorker plainBob = worker(Side.PLAIN, "bob", plain);
            DemoWorker ada = worker(Side.COMPOSITE, "ada", composite);
            DemoWorker bob = worker(Side.COMPOSITE, "bob", composite);
            DemoWorker cleo = worker(Side.COMPOSITE, "cleo", composite);
            recorder.awaitReady(workers.size());
            recorder.begin();
            watchAuthority(composite);
            recorder.awaitAuthority(REDIS);

            replication.cut();
            recorder.fault('C', "the link is cut: from now on the replica receives nothing from the primary");
            plainAda.acquire();
            ada.acquire();
            recorder.await("a holder on each side", () -> plainAda.isHolding() && ada.isHolding());
            plainBob.acquire();
            bob.acquire();
            cleo.acquire();
            recorder.pause(1_500);
            primary.kill();
            recorder.fault('K', "the Redis primary is killed (SIGKILL)");
            recorder.pause(700);
            replica.promote();
            address.leadTo(RedisServer.address(replica.port()));
            recorder.fault('P', "the replica is promoted to primary, and the address of Redis leads to it");

            recorder.awaitAuthority(JDBC);
            recorder.pause(2_000);
            ada.release();
            recorder.await("another holder in the composite", () -> bob.isHolding() || cleo.isHolding());
            // Queues start empty after each failover, so that either can be next.
            DemoWorker second = bob.isHolding() ? bob : cleo;
            DemoWorker third = bob.isHolding() ? cleo : bob;
            recorder.await(
                    "the loss of the first lock of plain Redis", () -> !plainAda.isHolding() && plainBob.isHolding());
            recorder.pause(1_000);
            plainBob.release();
            recorder.awaitAuthority(REDIS);
            recorder.pause(1_500);
            second.release();
            recorder.await("a third holder in the composite", third::isHolding);
            recorder.pause(1_500);
            third.release();
            recorder.await("the last release", () -> !third.isHolding() && !plainBob.isHolding());
            return recorder.timeline();
        } finally {
            recorder.close();
            workers.forEach(DemoWorker::close);
        }
    }

    private DemoWorker worker(Side side, String name, Path configuration) throws Exception {
        DemoWorker worker = new DemoWorker(side, name, configuration, recorder);
        workers.add(worker);
        return worker;
    }

    /** Records each change of the store that grants in the composite. */
    private void watchAuthority(Path configuration) {
        Thread thread = new Thread(
                () -> {
                    try (LockAdmin admin = LockAdmin.of(configuration)) {
                        for (String last = ""; ; LockSupport.parkNanos(AUTHORITY_POLL_NANOS)) {
                            last = recordChange(admin, last);
                        }
                    }
                },
                "watches the authority");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((failed, e) -> recorder.fails(e.toString()));
        thread.start();
    }

    private String recordChange(LockAdmin admin, String last) {
        try {
            FailoverStatus status = admin.failoverStatus().orElseThrow();
            if (!status.active().equals(last)) {
                recorder.authorityChanges(status.active(), status.epoch(), status.cause());
            }
            return status.active();
        } catch (LockUnavailableException e) {
            return last;
        }
    }

    private boolean conclude(Timeline timeline) {
        out.println();
        TimelineChart.of(timeline).forEach(out::println);
        out.println();
        timeline.verdict().forEach(out::println);
        out.println();
        out.println(
                timeline.isAsExpected()
                        ? CONCLUSION
                        : "This is not what the demo is to show. If this machine is very busy, try again.");
        return timeline.isAsExpected();
    }
}
