package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Which node of a Cluster has which slot at the moment, and which of them are silent. What is new is asked for by a thread of
 * its own, which there is only while something has changed: nobody else waits for nodes that are slow to say.
 */
final class Topology implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Topology.class);

    private static final Duration ANSWER = Duration.ofSeconds(1);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Nodes nodes;
    private final Set<HostAndPort> silent = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile boolean outdated;
    private volatile boolean closed;
    private volatile Slots slots = new Slots();

    Topology(Nodes nodes) {
        this.nodes = nodes;
    }

    /** As far as it is known. */
    Slots slots() {
        return slots;
    }

    /** Whether this node is waited for by none but the thread that looks after it. */
    boolean isSilent(HostAndPort node) {
        return silent.contains(node);
    }

    /** In an order of chance, those that are silent last. */
    List<HostAndPort> primaries() {
        List<HostAndPort> primaries = new ArrayList<>(slots.primaries());
        Collections.shuffle(primaries);
        primaries.sort((one, other) -> Boolean.compare(isSilent(one), isSilent(other)));
        return primaries;
    }

    /** A node did not answer in time. Until it does, nobody is to wait for it: the others have their calls to carry out. */
    void fellSilent(HostAndPort node) {
        silent.add(node);
        changed();
    }

    /** Something is not as it was. */
    void changed() {
        outdated = true;
        if (!closed && watching.compareAndSet(false, true)) {
            Thread thread = new Thread(this::watch, "holdfast-redis-topology");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void watch() {
        try {
            while (!closed && (outdated || !silent.isEmpty())) {
                silent.removeIf(this::answersOrIsGone);
                outdated = false;
                try {
                    renew(Deadline.in(ANSWER));
                } catch (JedisException e) {
                    log.debug("none of the nodes tells which slots each has", e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } finally {
            watching.set(false);
        }
        if (outdated || !silent.isEmpty()) {
            changed(); // since the last look
        }
    }

    private boolean answersOrIsGone(HostAndPort address) {
        if (!nodes.known().contains(address)) {
            return true;
        }
        try {
            return SingleServer.ask(nodes.at(address), connection -> connection.ping(), Deadline.in(ANSWER));
        } catch (JedisException e) {
            return false;
        }
    }

    /**
     * Asks the nodes, one after the other, until one says which slots each has.
     *
     * @throws JedisException if none does by then
     */
    void renew(Deadline deadline) {
        List<HostAndPort> toAsk = new ArrayList<>(nodes.known());
        Collections.shuffle(toAsk);
        toAsk.sort((one, other) -> Boolean.compare(isSilent(one), isSilent(other)));
        JedisException failure = new JedisException("no node of the cluster is known");
        for (HostAndPort address : toAsk) {
            try {
                Slots told = SingleServer.ask(
                        nodes.at(address), connection -> Slots.of(connection, address), deadline.within(ANSWER));
                nodes.retain(told.primaries());
                slots = told;
                return;
            } catch (JedisException e) {
                e.addSuppressed(failure);
                failure = e;
            }
        }
        throw failure;
    }

    @Override
    public void close() {
        closed = true;
    }
}
