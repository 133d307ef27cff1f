package dev.holdfast.lock.redis.connection;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.HostAndPort;

/** Since when which nodes have been waited for in vain. Instants are those of {@link System#nanoTime}. Thread-safe. */
final class Unanswered {

    private static final long SILENCE_NANOS = Duration.ofMillis(500).toNanos();

    /** When it was not waited for in between, it may well have been there. */
    private static final long LAPSE_NANOS = Duration.ofSeconds(2).toNanos();

    private final Map<HostAndPort, Wait> waits = new ConcurrentHashMap<>();

    /** Of one call or more, after each other or at the same time. */
    private record Wait(long first, long last) {
        Wait and(Wait next) {
            return next.first - last > LAPSE_NANOS
                    ? next
                    : new Wait(next.first - first < 0 ? next.first : first, next.last - last > 0 ? next.last : last);
        }
    }

    /** A call waited from then until now; whether no call has been answered for so long that none is to wait any more. */
    boolean isSilent(HostAndPort node, long since, long now) {
        Wait wait = waits.merge(node, new Wait(since, now), Wait::and);
        return wait.last - wait.first >= SILENCE_NANOS;
    }

    /** It answered a call. */
    void isAnswered(HostAndPort node) {
        if (!waits.isEmpty()) {
            waits.remove(node);
        }
    }
}
