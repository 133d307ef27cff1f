package dev.holdfast.lock.bench.alone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.lock.bench.alone.CountingWire.Passed;
import dev.holdfast.lock.bench.peer.Place;
import dev.holdfast.lock.bench.server.Postgres;
import dev.holdfast.lock.bench.server.Redis;
import dev.holdfast.lock.bench.server.Workplace;
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

/** Each observation on a small scale: that its quantities are of what happened. */
@ResourceLock("PostgreSQL as unpacked by the first test of this process, and removed with its workplace")
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a hang
class ObservationsIT {

    private static Workplace workplace;
    private static Place place;

    @BeforeAll
    static void startServers() throws Exception {
        workplace = Workplace.open();
        Redis redis = Redis.inMemory(workplace);
        Postgres postgres = Postgres.start(workplace);
        place = new Place(redis.port(), postgres.url(), postgres.username(), 8);
    }

    @AfterAll
    static void endServers() {
        workplace.close();
    }

    @Test
    @Tag("long")
    void leasesAreHeldForAsLongAsTheyAreWatched() throws Exception {
        Map<String, Double> quantities = quantities(new HeldLeases(500, Duration.ofSeconds(9)));

        assertThat(quantities.get("held at the end")).isEqualTo(500);
        assertThat(quantities.get("heap per lease")).isBetween(100.0, 100_000.0);
        assertThat(quantities.get("processor used to renew them, of one core")).isPositive();
        assertThat(quantities.get("processor used by Redis meanwhile, of one core"))
                .isPositive();
        assertThat(quantities.get("keys more than before, once all are given back"))
                .isZero();
    }

    @Test
    void commandsAreCountedOneByOne() throws Exception {
        try (CountingWire wire = new CountingWire(place.redisPort());
                Connection connection = new Connection(new HostAndPort("127.0.0.1", wire.port()))) {
            connection.ping(); // and whatever is said at first
            Passed before = wire.passed();

            connection.sendCommand(Command.SET, "answer", "4\r\n2");
            connection.sendCommand(Command.GET, "answer");
            connection.sendCommand(Command.DEL, "answer");
            assertThat(connection.getMany(3)).hasSize(3);

            String sent = "*3 $3 SET $6 answer $4 4..2 " + "*2 $3 GET $6 answer " + "*2 $3 DEL $6 answer ";
            String received = "+OK " + "$4 4..2 " + ":1 ";
            assertThat(wire.passed().since(before).commands()).isEqualTo(3);
            assertThat(wire.passed().since(before).sent()).isEqualTo(withLineEnds(sent));
            assertThat(wire.passed().since(before).received()).isEqualTo(withLineEnds(received));
        }
    }

    @Test
    void aPairIsTwoCommandsAndWaitingIsNone() throws Exception {
        Map<String, Double> quantities = quantities(new Traffic(160, 8, Duration.ofSeconds(1)));

        String commands = "commands per acquire and release: ";
        assertThat(quantities.get(commands + "one thread")).isEqualTo(2);
        assertThat(quantities.get(commands + "8 threads on one lock")).isLessThan(2);
        assertThat(quantities.get(commands + "2 processes of 4 threads on one lock, lock.handoff=1"))
                .isBetween(2.0, 4.0);
        assertThat(quantities.get("sent per acquire and release: one thread")).isGreaterThan(100);
        assertThat(quantities.get("commands while 8 threads wait for 1 s")).isLessThanOrEqualTo(1);
    }

    @Test
    @Tag("long")
    void theNextGrantComesWhenTheDeadOnesLeaseIsOver() throws Exception {
        Map<String, Double> quantities = quantities(new Death(List.of(Duration.ofSeconds(10))));

        for (String store : List.of("Redis", "PostgreSQL")) {
            String where = store + ", a lease of 10s: ";
            double wait = quantities.get(where + "from the holder's death to the next grant");
            double left = quantities.get(where + "of which its lease still lasted");
            double more = quantities.get(where + "from the end of the lease to the next grant");
            assertThat(left).isLessThanOrEqualTo(10_000);
            assertThat(wait).isCloseTo(left + more, within(0.01));
            assertThat(more)
                    .as("granted only when it was over, by milliseconds")
                    .isGreaterThan(-2);
        }
    }

    @Test
    void nothingGrowsWithTheNames() throws Exception {
        Map<String, Double> quantities = quantities(new Growth(64, List.of(1, 4), List.of(2), List.of(30)));

        assertThat(quantities).containsEntry("30 names, once each: keys left", 0.0);
        assertThat(quantities.get("30 names, once each: a pair")).isPositive();
        assertThat(quantities.get("1 threads on one lock")).isPositive();
        assertThat(quantities.get("4 threads on one lock, longest wait")).isPositive();
        assertThat(quantities.get("2 processes of 8 threads on one lock")).isPositive();
    }

    @Test
    void aCommandIsStartedByTheJarOnceThereIsOne(@TempDir Path directory) throws Exception {
        Path jar = directory.resolve("lock.jar");
        assertThat(new LockRun(jar, 1).missing())
                .hasValueSatisfying(why -> assertThat(why).contains(jar.toString()));
        writeStandIn(jar);
        LockRun lockRun = new LockRun(jar, 1);

        Map<String, Double> quantities = quantities(lockRun);

        assertThat(lockRun.missing()).isEmpty();
        assertThat(quantities.get("the command alone")).isPositive();
        assertThat(quantities.get("a JVM, to the first line of main")).isPositive();
        assertThat(quantities.get("lock run on Redis, to the start of the command"))
                .isPositive();
    }

    /** The command line is a module that this one does not know. */
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

    /** Runs what {@code lock run} would run, if it is told of a store. */
    static final class StandIn {
        public static void main(String[] arguments) throws Exception {
            List<String> command = List.of(arguments).subList(3, arguments.length);
            if (System.getenv("LOCK_PROVIDER") == null) {
                throw new IllegalStateException("which store?");
            }
            System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
        }
    }

    private static Map<String, Double> quantities(Observation observation) throws Exception {
        Map<String, Double> quantities = new LinkedHashMap<>();
        observation.run(place).forEach(quantity -> quantities.put(quantity.what(), quantity.value()));
        return quantities;
    }

    /** Each space stands for two bytes. */
    private static long withLineEnds(String text) {
        return text.length()
                + text.chars().filter(character -> character == ' ').count();
    }
}
