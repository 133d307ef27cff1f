package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
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

    private static final Duration RENEWAL = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Nodes nodes;
    private final Unanswered unanswered = new Unanswered();
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
        Set<HostAndPort> last = Set.copyOf(silent); // which may change while it is sorted by
        primaries.sort(Comparator.comparing(last::contains));
        return primaries;
    }

    /**
     * A node did not answer somebody in time, whose timeout may have been short. If nobody was answered for a while, nobody is
     * to wait for it until it answers again: the others have their calls to carry out.
     *
     * @param since the {@link System#nanoTime} since when it was waited for
     */
    void isUnanswered(HostAndPort node, long since) {
        if (unanswered.isSilent(node, since, System.nanoTime())) {
            silent.add(node);
        }
        changed();
    }

    /** A node answered somebody. */
    void isAnswered(HostAndPort node) {
        unanswered.isAnswered(node, System.nanoTime());
    }

    /** Something is not as it was. */
    void changed() {
        outdated = true;
        if (!closed && watching.compareAndSet(false, true)) {
            try {
                Thread thread = new Thread(this::watch, "holdfast-redis-topology");
                thread.setDaemon(true);
                thread.start();
            } catch (Throwable e) { // such as "unable to create native thread": it may well work the next time
                watching.set(false);
                log.debug("nobody looks after the nodes of the cluster", e);
            }
        }
    }

    private void watch() {
        long pause = PAUSE_NANOS;
        try {
            while (!closed && (outdated || !silent.isEmpty())) {
                tryToRenew();
                silent.removeIf(this::answersOrIsGone);
                LockSupport.parkNanos(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            }
        } finally {
            watching.set(false);
            if (outdated || !silent.isEmpty()) {
                changed(); // since the last look
            }
        }
    }

    private void tryToRenew() {
        outdated = false;
        try {
            renew(Deadline.in(RENEWAL));
        } catch (RuntimeException e) {
            log.debug("none of the nodes tells which slots each has", e);
            outdated = true;
        }
    }

    private boolean answersOrIsGone(HostAndPort address) {
        try {
            if (slots.primaries().contains(address)) {
                SingleServer.ask(nodes.at(address), connection -> connection.ping(), Deadline.in(ANSWER));
            }
            unanswered.isAnswered(address, System.nanoTime());
            return true;
        } catch (RuntimeException e) {
            log.debug("the node {} is silent", address, e);
            return false;
        }
    }

    /**
     * Asks the nodes, one after the other, until one says which slots each has: first those that have some, as far as is
     * known; one that was asked at the beginning may have left the cluster since.
     *
     * @throws JedisException if none does by then
     */
    void renew(Deadline deadline) {
        Set<HostAndPort> toAsk = new LinkedHashSet<>(primaries());
        toAsk.addAll(nodes.known());
        JedisException failure = new JedisException("no node of the cluster is known");
        int left = toAsk.size();
        for (HostAndPort address : toAsk) {
            try {
                Slots told = SingleServer.ask(
                        nodes.at(address),
                        connection -> Slots.of(connection, address),
                        deadline.share(left).within(ANSWER));
                if (told.isEmpty()) {
                    throw new JedisException("the node " + address + " knows of no slots");
                }
                nodes.retain(told.primaries());
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
