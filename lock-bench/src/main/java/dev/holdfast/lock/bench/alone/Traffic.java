package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.bench.alone.CountingWire.Passed;
import dev.holdfast.lock.bench.peer.Place;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;

/**
 * What goes between Holdfast and Redis: commands of the client, and bytes.
 *
 * @param pairs how often a lock is acquired and released, all in all
 * @param threads how many want the same lock, all in all
 * @param quiet for how long nothing happens while some wait
 */
public record Traffic(int pairs, int threads, Duration quiet) implements Observation {

    /** What it is called. */
    public static final String ID = "traffic";

    /** What a pair costs of commands; who acquires follows. */
    public static final String COMMANDS = "commands per acquire and release: ";

    private static final String NAMESPACE = ID;
    private static final int STRICT = 1;
    private static final int BY_DEFAULT = 16;

    /** Enough pairs that those who begin and end do not count, and three refreshes of a ticket. */
    public static Traffic asPromised() {
        return new Traffic(6_400, 64, Duration.ofSeconds(15));
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String title() {
        return "between Holdfast and Redis";
    }

    @Override
    public List<Quantity> run(Place place) throws Exception {
        List<Quantity> quantities = new ArrayList<>();
        add(quantities, "one thread", passed(place, 1, 1, BY_DEFAULT), pairs);
        add(quantities, threads + " threads on one lock", passed(place, 1, threads, BY_DEFAULT), pairs);
        String halves = "2 processes of " + threads / 2 + " threads on one lock";
        add(quantities, halves, passed(place, 2, threads / 2, BY_DEFAULT), pairs);
        add(quantities, halves + ", lock.handoff=1", passed(place, 2, threads / 2, STRICT), pairs);
        String waiting = "while " + threads + " threads wait for " + quiet.toSeconds() + " s";
        quantities.add(new Quantity(
                "commands " + waiting, (double) passedInQuiet(place).commands(), "commands"));
        return quantities;
    }

    private static void add(List<Quantity> quantities, String who, Passed passed, int pairs) {
        quantities.add(new Quantity(COMMANDS + who, (double) passed.commands() / pairs, "commands"));
        quantities.add(new Quantity("sent per acquire and release: " + who, (double) passed.sent() / pairs, "bytes"));
        quantities.add(
                new Quantity("received per acquire and release: " + who, (double) passed.received() / pairs, "bytes"));
    }

    private Passed passed(Place place, int processes, int threadsOfEach, int handoff) throws Exception {
        List<Client> clients = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                clients.add(new Client(place, handoff));
            }
            List<Locks> locks = clients.stream().map(Client::locks).toList();
            // Connections are open from now on, and scripts are known.
            Crowd.of(locks, threadsOfEach, 2, "first");
            Passed before = passed(clients);
            Crowd.of(locks, threadsOfEach, pairs / (processes * threadsOfEach), "contended");
            return passed(clients).since(before);
        } finally {
            for (Client client : clients) {
                client.close();
            }
        }
    }

    private static Passed passed(List<Client> clients) {
        return clients.stream().map(client -> client.wire().passed()).reduce(new Passed(0, 0, 0), Passed::and);
    }

    private Passed passedInQuiet(Place place) throws Exception {
        Properties settings = Configuration.redis(place.redisPort(), NAMESPACE);
        try (Locks holder = Locks.open(settings);
                LockAdmin admin = LockAdmin.of(settings);
                Lease lease = holder.named("quiet").acquire();
                Client client = new Client(place, BY_DEFAULT)) {
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                waiting.add(client.locks().named("quiet").acquireAsync());
            }
            Awaiting.until("a place in the queue", () -> isWaitedFor(admin));
            Awaiting.pass(Duration.ofSeconds(1)); // it has subscribed, and asked once more
            Passed before = client.wire().passed();
            Awaiting.pass(quiet);
            Passed passed = client.wire().passed().since(before);
            lease.ensureHeld();
            waiting.forEach(each -> each.cancel(false));
            return passed;
        }
    }

    private static boolean isWaitedFor(LockAdmin admin) {
        try (var locks = admin.locks("quiet")) {
            return locks.anyMatch(lock -> !lock.waiters().isEmpty());
        }
    }

    /** A process, as far as Redis can see. */
    private record Client(CountingWire wire, Locks locks) implements AutoCloseable {

        Client(Place place, int handoff) throws IOException {
            this(new CountingWire(place.redisPort()), handoff);
        }

        private Client(CountingWire wire, int handoff) {
            this(wire, Locks.open(settings(wire, handoff)));
        }

        private static Properties settings(CountingWire wire, int handoff) {
            Properties settings = Configuration.redis(wire.port(), NAMESPACE);
            settings.setProperty("lock.handoff", Integer.toString(handoff));
            return settings;
        }

        @Override
        public void close() throws IOException {
            locks.close();
            wire.close();
        }
    }
}
