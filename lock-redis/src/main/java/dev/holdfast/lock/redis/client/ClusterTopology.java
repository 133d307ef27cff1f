package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The nodes of a Cluster: the node of each slot, and which nodes are unresponsive. A thread refreshes both while something has
 * changed, and ends afterwards, so that no call waits for a node that is slow to answer with its slots.
 */
final class ClusterTopology implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ClusterTopology.class);

    /** Time for one node to answer a refresh. */
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration REFRESH_TIMEOUT = Duration.ofSeconds(5);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ConnectionSource connections;
    private final UnresponsiveNodes unresponsive = new UnresponsiveNodes();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private volatile boolean outdated;
    private volatile boolean closed;
    private volatile SlotMap slots = new SlotMap();

    ClusterTopology(ConnectionSource connections) {
        this.connections = connections;
    }

    /** The slots that are known. */
    SlotMap slots() {
        return slots;
    }

    /** Whether only the refreshing thread waits for this node. */
    boolean isUnresponsive(HostAndPort node) {
        return unresponsive.contains(node);
    }

    /** The nodes with slots in random order, the unresponsive ones last. */
    List<HostAndPort> primaries() {
        List<HostAndPort> primaries = new ArrayList<>(slots.primaries());
        Collections.shuffle(primaries);
        Set<HostAndPort> last = unresponsive.all();
        primaries.sort(Comparator.comparing(last::contains));
        return primaries;
    }

    /**
     * Records that a node did not answer a call in time. The timeout may have been short; once no call has been answered for
     * a while, calls no longer wait for the node until it answers the refreshing thread.
     *
     * @param since the {@link System#nanoTime} at which the call began to wait
     */
    void recordTimeout(HostAndPort node, long since) {
        unresponsive.recordTimeout(node, since, System.nanoTime());
        refreshLater();
    }

    void recordReply(HostAndPort node) {
        unresponsive.recordReply(node, System.nanoTime());
    }

    /** Refreshes the slots on the refreshing thread. */
    void refreshLater() {
        outdated = true;
        if (!closed && refreshing.compareAndSet(false, true)) {
            try {
                DaemonThreadFactory.unstarted("holdfast-redis-topology", this::refreshWhileNeeded)
                        .start();
            } catch (Throwable e) { // such as "unable to create native thread": the next change tries again
                refreshing.set(false);
                log.debug("no thread to refresh the nodes of the cluster", e);
            }
        }
    }

    private boolean isRefreshNeeded() {
        return outdated || !unresponsive.all().isEmpty();
    }

    private void refreshWhileNeeded() {
        long pause = FIRST_PAUSE_NANOS;
        try {
            while (!closed && isRefreshNeeded()) {
                tryToRefresh();
                unresponsive.all().forEach(this::probe);
                LockSupport.parkNanos(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
        } finally {
            refreshing.set(false);
            if (isRefreshNeeded()) {
                refreshLater(); // it changed after the loop
            }
        }
    }

    private void tryToRefresh() {
        outdated = false;
        try {
            refresh(Deadline.in(REFRESH_TIMEOUT));
        } catch (RuntimeException e) {
            log.debug("no node of the cluster answers with its slots", e);
            outdated = true;
        }
    }

    private void probe(HostAndPort node) {
        try {
            if (slots.primaries().contains(node)) {
                connections.ask(node, connection -> connection.ping(), Deadline.in(NODE_TIMEOUT));
            }
            unresponsive.remove(node, System.nanoTime());
        } catch (RuntimeException e) {
            log.debug("the node {} of the cluster is unresponsive", node, e);
        }
    }

    /**
     * Asks one node after another for the slots until one answers. Nodes with slots come first: a node that the settings name
     * may have left the Cluster.
     *
     * @throws JedisException if no node does by the deadline
     */
    void refresh(Deadline deadline) {
        refresh(deadline, share -> share.within(NODE_TIMEOUT));
    }

    /**
     * The first refresh: no call waits yet, so each node gets its whole share of the time.
     *
     * @throws JedisException if no node does by the deadline
     */
    void open(Deadline deadline) {
        refresh(deadline, share -> share);
    }

    private void refresh(Deadline deadline, UnaryOperator<Deadline> limit) {
        Set<HostAndPort> candidates = new LinkedHashSet<>(primaries());
        candidates.addAll(connections.known());
        JedisException failure = new JedisException("no node of the cluster is known");
        int left = candidates.size();
        for (HostAndPort node : candidates) {
            try {
                SlotMap told = connections.ask(
                        node, connection -> SlotMap.of(connection, node), limit.apply(deadline.share(left)));
                if (told.isEmpty()) {
                    throw new JedisException("the node " + node + " knows no slots");
                }
                connections.retain(told.primaries());
                slots = told;
                return;
            } catch (JedisException e) {
                e.addSuppressed(failure);
                failure = e;
            }
            left--;
        }
        throw failure;
    }

    @Override
    public void close() {
        closed = true;
    }
}
