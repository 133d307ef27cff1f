package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Which node of a Cluster has which slot, as far as it is known: from the client library, and from nodes that say better. */
final class Topology {

    private static final Logger log = LoggerFactory.getLogger(Topology.class);

    private static final Duration ANSWER = Duration.ofSeconds(1);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisClusterClient client;
    private final Map<Integer, String> nodes = new ConcurrentHashMap<>();
    private final Set<String> silent = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile boolean closed;

    Topology(RedisClusterClient client) {
        this.client = client;
    }

    /** The node that has this slot. */
    String node(int slot) {
        String known = nodes.get(slot);
        if (known != null) {
            return known;
        }
        try (Connection connection = client.getConnectionFromSlot(slot)) {
            String node = connection.getHostAndPort().toString();
            nodes.put(slot, node);
            return node;
        }
    }

    /** The connections to a node. */
    ConnectionPool pool(String node) {
        ConnectionPool pool = client.getClusterNodes().get(node);
        if (pool == null) {
            nodes.values().removeIf(node::equals);
            throw new JedisConnectionException("the node " + node + " is no longer known");
        }
        return pool;
    }

    /** The nodes that have slots, in the words of one that knows. */
    SortedSet<String> primaries() {
        CommandArguments question = new CommandArguments(Command.CLUSTER).add("SLOTS");
        List<?> ranges = (List<?>) client.executeCommand(new CommandObject<>(question, BuilderFactory.RAW_OBJECT));
        SortedSet<String> primaries = new TreeSet<>();
        for (Object range : ranges) {
            Long first = (Long) ((List<?>) range).get(0);
            primaries.add(node(first.intValue()));
        }
        return primaries;
    }

    /** A node said that this slot is another one's. */
    void moved(int slot, HostAndPort to) {
        if (client.getClusterNodes().containsKey(to.toString())) {
            nodes.put(slot, to.toString());
            isOutdated();
        } else {
            renew();
        }
    }

    /** Something is not as it was. What is new is asked for on a thread of its own: the nodes may be slow to say. */
    void isOutdated() {
        if (watching.compareAndSet(false, true)) {
            Thread thread = new Thread(this::watch, "holdfast-redis-topology");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** A node did not answer in time. Until it does, nobody is to wait for it: the others have their calls to carry out. */
    void isSilent(String node) {
        silent.add(node);
        isOutdated();
    }

    /** Whether this node is waited for by none but the thread that looks after the topology. */
    boolean isKnownToBeSilent(String node) {
        return silent.contains(node);
    }

    private void watch() {
        try {
            renew();
            while (!silent.removeIf(this::answersOrIsGone) && !silent.isEmpty() && !closed) {
                LockSupport.parkNanos(PAUSE_NANOS);
                renew();
            }
        } finally {
            watching.set(false);
        }
        if (!silent.isEmpty() && !closed) {
            isOutdated(); // one of several, or one that fell silent just now
        }
    }

    private boolean answersOrIsGone(String node) {
        ConnectionPool pool = client.getClusterNodes().get(node);
        if (pool == null) {
            return true;
        }
        try (Borrowed borrowed = Borrowed.from(pool, Deadline.in(ANSWER))) {
            borrowed.connection().setSoTimeout(Math.toIntExact(ANSWER.toMillis()));
            return borrowed.connection().ping();
        } catch (JedisException e) {
            return false;
        }
    }

    private void renew() {
        try {
            client.refreshClusterTopology();
            nodes.clear();
        } catch (JedisException e) {
            log.debug("the nodes of the cluster are not known anew", e);
        }
    }

    /** Ends the thread, if there is one. */
    void close() {
        closed = true;
    }
}
