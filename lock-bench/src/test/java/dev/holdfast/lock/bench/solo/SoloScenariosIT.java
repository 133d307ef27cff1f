package dev.holdfast.lock.bench.solo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.bench.server.RedisServer;
import dev.holdfast.lock.bench.server.Workspace;
import dev.holdfast.lock.bench.solo.RedisTrafficCounter.Counts;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Stalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/** Each solo scenario on a small scale: its quantities are those of what happened. */
@ResourceLock("PostgreSQL as unpacked by the first test of this process, and removed with its workspace")
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a hang
@Tag("long")
class SoloScenariosIT {

    private static Workspace workspace;
    private static Endpoints endpoints;

    @BeforeAll
    static void startServers() throws Exception {
        workspace = Workspace.open();
        endpoints = BenchServers.start(workspace, false).endpoints(8, false);
    }

    @AfterAll
    static void endServers() {
        workspace.close();
    }

    @Test
    void heldLeases_whenWatchedForSeveralRenewals_areAllHeldAtTheEnd() throws Exception {
        int leases = 2_000; // so that what else the heap has does not count
        Map<String, Double> quantities = quantities(HeldLeases.scenario(leases, Duration.ofSeconds(9)));

        assertThat(quantities.get("held at the end")).isEqualTo(leases);
        assertThat(quantities.get("heap per lease")).isBetween(100.0, 100_000.0);
        assertThat(quantities.get("processor used to renew them, of one core")).isPositive();
        assertThat(quantities.get("processor used by Redis meanwhile, of one core"))
                .isPositive();
        assertThat(quantities.get(HeldLeases.NOT_RELEASED)).isZero();
    }

    @Test
    void soak_overNamesThatAreUsedAgain_leavesNothingButTheTokenAndTheWarmUp() throws Exception {
        Map<String, Double> quantities = quantities(Soak.scenario(Duration.ofSeconds(3), 100));

        assertThat(quantities.get(Soak.NAMES)).isPositive();
        for (String part : List.of("1/6", "3/6", "6/6")) {
            String when = " after " + part + " of the time";
            assertThat(quantities.get("keys in Redis" + when)).isLessThan(100);
            assertThat(quantities.get("connections" + when)).isLessThanOrEqualTo(18);
            assertThat(quantities.get("latency of a pair, p50," + when)).isPositive();
        }
    }

    @Test
    void trafficCounter_whenCommandsArePipelined_countsEachCommandAndAllBytes() throws Exception {
        RedisTrafficCounter counter = new RedisTrafficCounter();
        try (FaultyProxy proxy = new FaultyProxy(RedisServer.address(endpoints.redisPort()), counter::newConnection);
                Connection connection = new Connection(new HostAndPort("127.0.0.1", proxy.port()))) {
            connection.ping(); // and what the client sends first
            Counts before = counter.counts();

            connection.sendCommand(Command.SET, "answer", "4\r\n2");
            connection.sendCommand(Command.GET, "answer");
            connection.sendCommand(Command.DEL, "answer");
            assertThat(connection.getMany(3)).hasSize(3);

            String sent = "*3 $3 SET $6 answer $4 4..2 " + "*2 $3 GET $6 answer " + "*2 $3 DEL $6 answer ";
            String received = "+OK " + "$4 4..2 " + ":1 ";
            assertThat(counter.counts().minus(before).commands()).isEqualTo(3);
            assertThat(counter.counts().minus(before).sent()).isEqualTo(withLineEnds(sent));
            assertThat(counter.counts().minus(before).received()).isEqualTo(withLineEnds(received));
        }
    }

    @Test
    void redisTraffic_whenUncontended_isTwoCommandsPerPairAndWaitersSendNone() throws Exception {
        Map<String, Double> quantities;
        Duration stalled;
        do { // measured anew if the machine stood still, which repeats calls and renews leases
            try (Stalls stalls = new Stalls()) {
                quantities = quantities(RedisTraffic.scenario(160, 8, Duration.ofSeconds(1)));
                stalled = stalls.longest();
            }
        } while (stalled.compareTo(Duration.ofSeconds(2)) > 0);

        String commands = "commands per acquire and release: ";
        assertThat(quantities.get(commands + "one thread")).isEqualTo(2);
        assertThat(quantities.get(commands + "8 threads on one lock")).isLessThan(2);
        assertThat(quantities.get(commands + "2 processes of 4 threads on one lock, lock.max-local-handoffs=1"))
                .isBetween(2.0, 4.0);
        assertThat(quantities.get("sent per acquire and release: one thread")).isGreaterThan(100);
        assertThat(quantities.get("commands while 8 threads wait for 1 s")).isLessThanOrEqualTo(1);
    }

    @Test
    void holderDeath_whenAnotherProcessWaits_grantsAfterTheEndOfTheLease() throws Exception {
        Map<String, Double> quantities = quantities(HolderDeath.scenario(List.of(Duration.ofSeconds(10))));

        for (String store : List.of("Redis", "PostgreSQL")) {
            String where = store + ", a lease of 10s: ";
            double wait = quantities.get(where + "from the holder's death to the next grant");
            double left = quantities.get(where + "of which its lease still lasted");
            double more = quantities.get(where + "from the end of the lease to the next grant");
            assertThat(left).isLessThanOrEqualTo(10_000);
            assertThat(wait).isCloseTo(left + more, within(0.01));
            assertThat(more)
                    .as("granted after the end of the lease, to the millisecond")
                    .isGreaterThan(-2);
        }
    }

    @Test
    void scaling_whenNamesAreUsedOnce_leavesNoKeys() throws Exception {
        Map<String, Double> quantities = quantities(Scaling.scenario(64, List.of(1, 4), List.of(2), List.of(30)));

        assertThat(quantities).containsEntry("30 names, once each: keys left", 0.0);
        assertThat(quantities.get("30 names, once each: a pair")).isPositive();
        assertThat(quantities.get("1 threads on one lock")).isPositive();
        assertThat(quantities.get("4 threads on one lock, longest wait")).isPositive();
        assertThat(quantities.get("2 processes of 8 threads on one lock")).isPositive();
    }

    @Test
    void lockRun_whenJarIsMissing_isSkippedUntilItExists(@TempDir Path directory) throws Exception {
        Path jar = directory.resolve("lock.jar");
        SoloResult skipped = LockRun.scenario(jar, 1).run(endpoints, Duration.ofMinutes(1));
        assertThat(skipped.result().status()).isEqualTo(Status.SKIPPED);
        assertThat(skipped.result().reason()).contains(jar.toString());
        writeStandIn(jar);

        Map<String, Double> quantities = quantities(LockRun.scenario(jar, 1));

        assertThat(quantities.get("the command alone")).isPositive();
        assertThat(quantities.get("a JVM, to the first line of main")).isPositive();
        assertThat(quantities.get("lock run on Redis, to the start of the command"))
                .isPositive();
    }

    /** The real command line is in a module on which this one does not depend. */
    private static void writeStandIn(Path jar) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, StandIn.class.getName());
        String file = StandIn.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                var in = StandIn.class.getClassLoader().getResourceAsStream(file)) {
            out.putNextEntry(new ZipEntry(file));
            in.transferTo(out);
        }
    }

    /** Runs the command of {@code lock run}, if a store is configured. */
    static final class StandIn {
        public static void main(String[] arguments) throws Exception {
            List<String> command = List.of(arguments).subList(3, arguments.length);
            if (System.getenv("LOCK_PROVIDER") == null) {
                throw new IllegalStateException("no store is configured");
            }
            System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
        }
    }

    private static Map<String, Double> quantities(SoloScenario scenario) throws Exception {
        Map<String, Double> quantities = new LinkedHashMap<>();
        scenario.procedure().measure(endpoints).forEach(quantity -> quantities.put(quantity.what(), quantity.value()));
        return quantities;
    }

    /** Each space stands for two bytes. */
    private static long withLineEnds(String text) {
        return text.length()
                + text.chars().filter(character -> character == ' ').count();
    }
}
