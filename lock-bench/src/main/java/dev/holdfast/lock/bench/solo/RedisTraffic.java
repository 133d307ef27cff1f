package dev.holdfast.lock.bench.solo;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.peer.HoldfastPeer;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.bench.server.RedisServer;
import dev.holdfast.lock.bench.solo.RedisTrafficCounter.Counts;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;

/** The commands and the bytes between Holdfast and Redis. */
public final class RedisTraffic {

    public static final String ID = "traffic";

    /** The beginning of a quantity's name; the threads and processes follow. */
    public static final String COMMANDS = "commands per acquire and release: ";

    private static final int STRICT = 1;
    private static final int DEFAULT_HANDOFFS = 16;

    private final List<Quantity> quantities = new ArrayList<>();
    private final Endpoints endpoints;
    private final int pairs;

    private RedisTraffic(Endpoints endpoints, int pairs) {
        this.endpoints = endpoints;
        this.pairs = pairs;
    }

    /**
     * The scenario.
     *
     * @param pairs of acquire and release, by all threads: enough to make the start and the end negligible
     * @param threads that contend for one lock, in all processes
     * @param quiet how long nothing happens while threads wait
     */
    static SoloScenario scenario(int pairs, int threads, Duration quiet) {
        return new SoloScenario(ID, "between Holdfast and Redis", endpoints -> {
            RedisTraffic traffic = new RedisTraffic(endpoints, pairs);
            String halves = "2 processes of " + threads / 2 + " threads on one lock";
            traffic.contend("one thread", 1, 1, DEFAULT_HANDOFFS);
            traffic.contend(threads + " threads on one lock", 1, threads, DEFAULT_HANDOFFS);
            traffic.contend(halves, 2, threads / 2, DEFAULT_HANDOFFS);
            traffic.contend(halves + ", lock.max-local-handoffs=1", 2, threads / 2, STRICT);
            String waiting = "while " + threads + " threads wait for " + quiet.toSeconds() + " s";
            traffic.add("commands " + waiting, (double) traffic.whileWaiting(threads, quiet), "commands");
            return traffic.quantities;
        });
    }

    private void add(String what, double value, String unit) {
        quantities.add(new Quantity(what, value, unit));
    }

    private void contend(String what, int processes, int threadsEach, int handoffs) throws Exception {
        List<Client> clients = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                clients.add(Client.open(endpoints, handoffs));
            }
            List<Locks> locks = clients.stream().map(Client::locks).toList();
            Contention.of(locks, threadsEach, 2, "first"); // opens connections and loads scripts
            Counts before = counts(clients);
            Contention.of(locks, threadsEach, pairs / (processes * threadsEach), "contended");
            Counts counts = counts(clients).minus(before);
            add(COMMANDS + what, (double) counts.commands() / pairs, "commands");
            add("sent per acquire and release: " + what, (double) counts.sent() / pairs, "bytes");
            add("received per acquire and release: " + what, (double) counts.received() / pairs, "bytes");
        } finally {
            for (Client client : clients) {
                client.close();
            }
        }
    }

    private static Counts counts(List<Client> clients) {
        return clients.stream().map(client -> client.counter().counts()).reduce(new Counts(0, 0, 0), Counts::plus);
    }

    private long whileWaiting(int threads, Duration quiet) throws Exception {
        Properties settings = HoldfastPeer.redis(endpoints.redisPort(), ID);
        try (Locks holder = Locks.open(settings);
                LockAdmin admin = LockAdmin.of(settings);
                Lease lease = holder.named("quiet").acquire();
                Client client = Client.open(endpoints, DEFAULT_HANDOFFS)) {
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            long opened = client.counter().counts().commands();
            for (int i = 0; i < threads; i++) {
                waiters.add(client.locks().named("quiet").acquireAsync());
            }
            Contention.await("a waiter in the queue", () -> hasWaiter(admin));
            Contention.await(
                    "it has asked, subscribed and asked once more",
                    () -> client.counter().counts().commands() >= opened + 3);
            Contention.pause(Duration.ofSeconds(1)); // and has the answer
            Counts before = client.counter().counts();
            Contention.pause(quiet);
            long commands = client.counter().counts().minus(before).commands();
            lease.ensureHeld();
            waiters.forEach(waiter -> waiter.cancel(false));
            return commands;
        }
    }

    private static boolean hasWaiter(LockAdmin admin) {
        try (var locks = admin.locks("quiet")) {
            return locks.anyMatch(lock -> !lock.waiters().isEmpty());
        }
    }

    /** A process in the eyes of Redis. */
    private record Client(RedisTrafficCounter counter, FaultyProxy proxy, Locks locks) implements AutoCloseable {

        static Client open(Endpoints endpoints, int handoffs) {
            RedisTrafficCounter counter = new RedisTrafficCounter();
            FaultyProxy proxy = new FaultyProxy(RedisServer.address(endpoints.redisPort()), counter::newConnection);
            Properties settings = HoldfastPeer.redis(proxy.port(), ID);
            settings.setProperty("lock.max-local-handoffs", Integer.toString(handoffs));
            return new Client(counter, proxy, Locks.open(settings));
        }

        @Override
        public void close() {
            locks.close();
            proxy.close();
        }
    }
}
