package dev.holdfast.lock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The servers of the primary, and a Sentinel that is slow and tells its clients late which is the master. */
final class SimulatedRedis {

    private static final long MILLI = 1_000_000;
    private static final int NODES = 3;

    private final FailoverWorld world;
    private final List<RedisNode> nodes = new ArrayList<>();
    private final List<FailoverProcess> clients = new ArrayList<>();
    private RedisNode master;
    /** A failover is under way. */
    private boolean changing;

    SimulatedRedis(FailoverWorld world) {
        this.world = world;
        for (int i = 0; i < NODES; i++) {
            nodes.add(new RedisNode("redis" + i, world.newClock(), world.mutant));
        }
        master = nodes.get(0);
        nodes.stream().skip(1).forEach(node -> node.follow(master));
    }

    RedisNode master() {
        return master;
    }

    void addClient(FailoverProcess client) {
        clients.add(client);
    }

    void removeClient(FailoverProcess client) {
        clients.remove(client);
    }

    int namesInUse() {
        return master.namesInUse();
    }

    private long upTo(long millis) {
        return world.random.nextLong(millis * MILLI);
    }

    /** The master is silent to all processes, for a while. */
    void fallSilent() {
        RedisNode silent = master;
        silent.goDown();
        world.time.after(upTo(3_000), silent::comeUp);
    }

    void flush() {
        master.flush();
    }

    void restartEmpty() {
        master.restartEmpty();
    }

    /**
     * The clock of the master is set ahead, though by no more than what leases have left once that was noticed. Minimum holds may
     * end too early.
     */
    void stepClock() {
        Duration noticed = world.timing.lease().multipliedBy(7).dividedBy(2);
        Duration most = master.shortest().orElse(Duration.ofSeconds(5)).minus(noticed);
        if (most.compareTo(world.timing.clockTolerance().multipliedBy(2)) > 0) {
            master.step(most);
            clients.forEach(FailoverProcess::troubled);
            world.watch.clockStepped();
        }
    }

    /** One process is connected to a replica, for a while. */
    void mislead() {
        FailoverProcess client = clients.get(world.random.nextInt(clients.size()));
        client.connect(nodes.get(world.random.nextInt(NODES)));
        world.time.after(upTo(2_000), () -> client.connect(master));
    }

    /** The master dies, and another becomes the master with what it has got; the former comes back as its replica. */
    void failOver() {
        if (changing) {
            return;
        }
        changing = true;
        RedisNode former = master;
        former.goDown();
        world.time.after(upTo(1_500), () -> {
            promoteAnother();
            clients.forEach(client -> world.time.after(upTo(1_500), () -> client.connect(master)));
            world.time.after(upTo(3_000), () -> {
                former.comeUp();
                former.follow(master);
                changing = false;
            });
        });
    }

    /** Another becomes the master while the former goes on serving the processes that do not know it. */
    void split() {
        if (changing) {
            return;
        }
        changing = true;
        RedisNode former = master;
        promoteAnother();
        long lasts = upTo(4_000);
        clients.forEach(client -> world.time.after(
                world.random.nextBoolean() ? lasts : Math.min(lasts, upTo(1_500)), () -> client.connect(master)));
        world.time.after(lasts, () -> {
            former.follow(master);
            changing = false;
        });
    }

    private void promoteAnother() {
        List<RedisNode> others = nodes.stream().filter(node -> node != master).toList();
        RedisNode next = others.get(world.random.nextInt(others.size()));
        int lag = next.lag();
        next.catchUp(world.random.nextBoolean() ? lag : world.random.nextInt(lag + 1));
        next.promote();
        others.stream().filter(node -> node != next).forEach(node -> node.follow(next));
        master = next;
    }

    void heal() {
        nodes.forEach(RedisNode::comeUp);
    }

    /** All processes are connected to the master. */
    void reconnect() {
        clients.forEach(client -> client.connect(master));
    }
}
