package dev.holdfast.lock.redis.testserver;

import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Protocol.Command;

/** The migration of a slot. Until it is finished, {@code ASK} redirects clients to the new master key by key. */
public final class Migration {

    private final Cluster cluster;
    private final String slot;
    private final RedisServer from;
    private final RedisServer to;

    Migration(Cluster cluster, int slot, RedisServer from, RedisServer to) {
        this.cluster = cluster;
        this.slot = Integer.toString(slot);
        this.from = from;
        this.to = to;
        Cluster.ask(to, "SETSLOT", this.slot, "IMPORTING", Cluster.id(from));
        Cluster.ask(from, "SETSLOT", this.slot, "MIGRATING", Cluster.id(to));
    }

    /** Moves all keys that are there now. */
    public void moveKeys() {
        for (List<?> keys = keys(); !keys.isEmpty(); keys = keys()) {
            Stream<String> arguments = Stream.concat(
                    Stream.of("127.0.0.1", Integer.toString(to.port()), "", "0", "5000", "KEYS"),
                    keys.stream().map(String.class::cast));
            ServerQuery.ask(from, Command.MIGRATE, arguments.toArray(String[]::new));
        }
    }

    /** Makes the new master known to all, and waits until it is. */
    public void finish() {
        Cluster.ask(to, "SETSLOT", slot, "NODE", Cluster.id(to));
        Cluster.ask(from, "SETSLOT", slot, "NODE", Cluster.id(to));
        cluster.awaitOk();
    }

    private List<?> keys() {
        return (List<?>) Cluster.ask(from, "GETKEYSINSLOT", slot, "100");
    }
}
