package dev.holdfast.lock.redis.client;

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

/**
 * The node of each slot, as reported by one node and corrected by later redirections. Thread-safe.
 *
 * <p>Jedis's own slot cache is not used: it opens a pool for each node, refreshes itself on the thread of a caller without regard
 * to its deadline, and cannot read the reply of a node that does not know its own host.
 */
final class SlotMap {

    private static final int SLOTS = 16_384;

    private final @Nullable HostAndPort[] nodes = new HostAndPort[SLOTS];
    private final Map<Integer, HostAndPort> moved = new ConcurrentHashMap<>();

    /** A map without any slot. */
    SlotMap() {}

    /** @param ranges the reply to CLUSTER SLOTS */
    SlotMap(List<?> ranges, HostAndPort asked) {
        for (Object each : ranges) {
            List<?> range = (List<?>) each;
            HostAndPort node = address((List<?>) range.get(2), asked);
            for (int slot = number(range.get(0)); slot <= number(range.get(1)); slot++) {
                nodes[slot] = node;
            }
        }
    }

    /** Asks a node. */
    static SlotMap of(Connection connection, HostAndPort asked) {
        return new SlotMap(
                (List<?>) connection.executeCommand(new CommandArguments(Command.CLUSTER).add("SLOTS")), asked);
    }

    /** A node without a host is the one that was asked, which does not know its own host. */
    private static HostAndPort address(List<?> node, HostAndPort asked) {
        String host = node.get(0) == null ? "" : new String((byte[]) node.get(0), StandardCharsets.UTF_8);
        return new HostAndPort(isUnknown(host) ? asked.getHost() : host, number(node.get(1)));
    }

    private static int number(Object number) {
        return ((Long) number).intValue();
    }

    /** @throws JedisConnectionException if none is known */
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

    /** Records a MOVED redirection. */
    void move(int slot, HostAndPort target) {
        moved.put(slot, resolve(target, slot));
    }

    /** The target of a redirection: without a host it is on the host of the node that redirects. */
    HostAndPort resolve(HostAndPort target, int slot) {
        return isUnknown(target.getHost()) ? new HostAndPort(node(slot).getHost(), target.getPort()) : target;
    }

    private static boolean isUnknown(String host) {
        return host.isEmpty() || host.equals("?");
    }

    /** Whether no slot is known: the node that was asked has left the Cluster. */
    boolean isEmpty() {
        return primaries().isEmpty();
    }

    /** The nodes that have slots. */
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
