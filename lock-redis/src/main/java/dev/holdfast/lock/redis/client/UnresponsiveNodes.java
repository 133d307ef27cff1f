package dev.holdfast.lock.redis.client;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.HostAndPort;

/**
 * Tracks since when calls to each node have gone unanswered, and which nodes are therefore unresponsive. Instants are
 * those of {@link System#nanoTime}. Thread-safe.
 */
final class UnresponsiveNodes {

    private static final long LIMIT_NANOS = Duration.ofMillis(500).toNanos();

    /** After a longer pause between two calls the earlier one says nothing about the later. */
    private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

    private final Map<HostAndPort, Wait> waits = new ConcurrentHashMap<>();
    private final Map<HostAndPort, Long> replies = new ConcurrentHashMap<>();
    private final Set<HostAndPort> unresponsive = ConcurrentHashMap.newKeySet();

    /** The wait of one or more calls, consecutive or concurrent. */
    private record Wait(long first, long last) {
        Wait and(Wait next) {
            return next.first - last > MAX_PAUSE_NANOS
                    ? next
                    : new Wait(next.first - first < 0 ? next.first : first, next.last - last > 0 ? next.last : last);
        }
    }

    /**
     * Records that a call waited in vain from {@code since} until now. Once calls have done so for long enough, the node is
     * unresponsive.
     */
    void recordTimeout(HostAndPort node, long since, long now) {
        Long reply = replies.get(node);
        long from = reply != null && reply - since > 0 ? reply : since;
        if (now - from <= 0) {
            return;
        }
        Wait wait = waits.merge(node, new Wait(from, now), Wait::and);
        if (wait.last - wait.first >= LIMIT_NANOS) {
            unresponsive.add(node);
        }
    }

    /** Records that the node answered a call now, even if another call that began earlier still waits. */
    void recordReply(HostAndPort node, long now) {
        replies.merge(node, now, (last, next) -> next - last > 0 ? next : last);
        if (!waits.isEmpty()) {
            waits.remove(node);
        }
    }

    boolean contains(HostAndPort node) {
        return unresponsive.contains(node);
    }

    /** The nodes that are unresponsive now. */
    Set<HostAndPort> all() {
        return Set.copyOf(unresponsive);
    }

    /** Forgets a node that answers again, or has left the Cluster. */
    void remove(HostAndPort node, long now) {
        recordReply(node, now);
        unresponsive.remove(node);
    }
}
