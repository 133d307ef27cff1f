package dev.holdfast.lock.redis.connection;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Which node has which slot, in the words of one of them, and what others said better since. Thread-safe. */
final class Slots {

    private static final int COUNT = 16_384;

    private final @Nullable HostAndPort[] nodes = new HostAndPort[COUNT];
    private final Map<Integer, HostAndPort> moved = new ConcurrentHashMap<>();

    /** Nothing is known yet. */
    Slots() {}

    Slots(List<?> ranges, HostAndPort asked) {
        for (Object each : ranges) {
            List<?> range = (List<?>) each;
            HostAndPort node = address((List<?>) range.get(2), asked);
            for (int slot = number(range.get(0)); slot <= number(range.get(1)); slot++) {
                nodes[slot] = node;
            }
        }
    }

    /** Asks a node. */
    static Slots of(Connection connection, HostAndPort asked) {
        return new Slots(
                (List<?>) connection.executeCommand(new CommandArguments(Command.CLUSTER).add("SLOTS")), asked);
    }

    /** A node that knows no name of itself is the one that was asked. */
    private static HostAndPort address(List<?> node, HostAndPort asked) {
        String host = node.get(0) == null ? "" : new String((byte[]) node.get(0), StandardCharsets.UTF_8);
        return new HostAndPort(isUnknown(host) ? asked.getHost() : host, number(node.get(1)));
    }

    private static int number(Object number) {
        return ((Long) number).intValue();
    }

    /** The node that has this slot. */
    HostAndPort node(int slot) {
        HostAndPort node = moved.get(slot);
        if (node == null) {
            node = nodes[slot];
        }
        if (node == null) {
            throw new JedisConnectionException("no node of the cluster is known to have the slot " + slot);
        }
        return node;
    }

    /** A node said that this slot is another's now. */
    void moved(int slot, HostAndPort to) {
        moved.put(slot, named(to, slot));
    }

    /** Where a node sends us for this slot: one that does not say to which host means its own. */
    HostAndPort named(HostAndPort target, int slot) {
        return isUnknown(target.getHost()) ? new HostAndPort(node(slot).getHost(), target.getPort()) : target;
    }

    private static boolean isUnknown(String host) {
        return host.isEmpty() || host.equals("?");
    }

    /** Whether it was told by a node that belongs to no cluster any more. */
    boolean isEmpty() {
        return primaries().isEmpty();
    }

    /** All that have slots. */
    Set<HostAndPort> primaries() {
        Set<HostAndPort> primaries = new LinkedHashSet<>(moved.values());
        for (HostAndPort node : nodes) {
            if (node != null) {
                primaries.add(node);
            }
        }
        return primaries;
    }
}
