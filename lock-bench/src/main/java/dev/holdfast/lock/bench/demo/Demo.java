package dev.holdfast.lock.bench.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.bench.server.Postgres;
import dev.holdfast.lock.bench.server.Redis;
import dev.holdfast.lock.bench.server.Wire;
import dev.holdfast.lock.bench.server.Workplace;
import dev.holdfast.lock.spi.DurationText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Shows what a failover of Redis does to a lock. The replication breaks, a grant is not replicated, the master is killed, the
 * replica takes its place: under plain Redis, and under the composite of that Redis and a PostgreSQL.
 */
public final class Demo {

    private static final String DEFAULT_REGIME_LEASE = "2s";
    private static final String TITLE = """
            Who holds the lock 'stock'? One shop asks Redis alone, another one the composite of the same
            Redis and a PostgreSQL. Then the Redis master dies, with grants that its replica never heard of.
            """;

    private static final String SHOWN = """
            The master died with grants that its replica had not heard of. Plain Redis granted the lock once
            more while its holder was at work; only the fencing tokens tell those two apart. In the composite
            the database deposed Redis first, took over what was held, granted in its place, and had Redis
            grant again once it had been well for a while.""";

    private static final Duration SHORTEST_REGIME_LEASE = Duration.ofMillis(500);

    private static final int FAILED = 1;
    private static final int USAGE = 64;

    private static final String REDIS = "redis";
    private static final String JDBC = "jdbc";

    private static final String ADA = "ada";
    private static final String BOB = "bob";
    private static final String CLEO = "cleo";

    private final PrintStream page;
    private final Story story;
    private final List<WorkerProcess> workers = new ArrayList<>();

    private Demo(PrintStream page) {
        this.page = page;
        this.story = new Story(page);
    }

    /** @param arguments the regime lease of the composite, if it is to be another than {@value #DEFAULT_REGIME_LEASE} */
    public static void main(String[] arguments) throws Exception {
        PrintStream page = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        if (arguments.length > 1 || !Stream.of(arguments).allMatch(Demo::isRegimeLease)) {
            page.println("lock demo [REGIME-LEASE]: shows a failover of Redis, with a regime lease of "
                    + DEFAULT_REGIME_LEASE + " unless told otherwise");
            System.exit(USAGE);
        }
        Demo demo = new Demo(page);
        Workplace workplace = Workplace.open();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            demo.story.close();
                            workplace.close();
                        },
                        "removes everything"));
        boolean isShown = demo.show(workplace, arguments.length > 0 ? arguments[0] : DEFAULT_REGIME_LEASE);
        System.exit(isShown ? 0 : FAILED);
    }

    private static boolean isRegimeLease(String text) {
        try {
            return DurationText.parse(text).compareTo(SHORTEST_REGIME_LEASE) >= 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private boolean show(Workplace workplace, String regimeLease) throws Exception {
        say(TITLE);
        say("starting a PostgreSQL, a Redis master and its replica …");
        Postgres postgres = Postgres.start(workplace);
        Redis master = Redis.master(workplace);
        try (Wire address = new Wire(master.port());
                Wire link = new Wire(master.port())) {
            Redis replica = Redis.replica(workplace, link);
            Path configurations = workplace.newDirectory("configurations");
            String redis = "lock.redis.uri=redis://127.0.0.1:" + address.port() + "\n";
            Path plain = Files.writeString(
                    configurations.resolve("plain.properties"), "lock.provider=redis\nlock.namespace=plain\n" + redis);
            Path composite = Files.writeString(
                    configurations.resolve("composite.properties"),
                    "lock.provider=composite\nlock.namespace=composite\nlock.composite.regime-lease=" + regimeLease
                            + "\n" + redis + "lock.jdbc.url=" + postgres.url() + "\nlock.jdbc.username="
                            + postgres.username() + "\n");
            return play(plain, composite, new Failover(story, link, master, replica, address));
        }
    }

    private boolean play(Path plain, Path composite, Failover failover) throws Exception {
        say("starting five processes, each of which wants the lock …\n");
        WorkerProcess plainAda = worker(Side.PLAIN, ADA, plain);
        WorkerProcess plainBob = worker(Side.PLAIN, BOB, plain);
        WorkerProcess ada = worker(Side.COMPOSITE, ADA, composite);
        WorkerProcess bob = worker(Side.COMPOSITE, BOB, composite);
        WorkerProcess cleo = worker(Side.COMPOSITE, CLEO, composite);
        try {
            story.await("all are ready", () -> story.readyOnes() == workers.size());
            story.begin();
            try (RegimeWatch watch = new RegimeWatch(composite, story)) {
                watch.start();
                story.await("Redis grants", () -> story.isReigning(REDIS));
                failover.breakLink();
                plainAda.asks();
                ada.asks();
                story.await("both hold the lock", () -> plainAda.isHolding() && ada.isHolding());
                plainBob.asks();
                bob.asks();
                cleo.asks();
                story.pass(1_500);
                failover.killMaster();
                story.pass(700);
                failover.promoteReplica();
                story.await("the database grants", () -> story.isReigning(JDBC));
                story.pass(2_000);
                ada.gives();
                story.await("another one holds the lock", () -> bob.isHolding() || cleo.isHolding());
                // Queues begin anew with each regime.
                WorkerProcess second = bob.isHolding() ? bob : cleo;
                WorkerProcess third = bob.isHolding() ? cleo : bob;
                story.await(
                        "the first one of plain Redis hears of its loss",
                        () -> !plainAda.isHolding() && plainBob.isHolding());
                story.pass(1_000);
                plainBob.gives();
                story.await("Redis grants again", () -> story.isReigning(REDIS));
                story.pass(1_500);
                second.gives();
                story.await("the last one holds the lock", third::isHolding);
                story.pass(1_500);
                third.gives();
                story.await("the last one has given it back", () -> !third.isHolding() && !plainBob.isHolding());
            }
        } finally {
            for (WorkerProcess worker : workers) {
                worker.close();
            }
        }
        return conclude(story.facts());
    }

    private WorkerProcess worker(Side side, String name, Path configuration) throws Exception {
        WorkerProcess worker = new WorkerProcess(side, name, configuration, story);
        workers.add(worker);
        return worker;
    }

    private boolean conclude(Facts facts) {
        say("");
        Chart.of(facts).forEach(this::say);
        say("");
        Verdict verdict = new Verdict(facts);
        verdict.lines().forEach(this::say);
        say("");
        say(verdict.isAsExpected() ? SHOWN : "This is not what was to be shown; is this machine very busy? Try again.");
        return verdict.isAsExpected();
    }

    private void say(String text) {
        page.println(text);
    }
}
