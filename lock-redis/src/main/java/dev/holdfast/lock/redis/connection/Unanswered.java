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
    private final Map<HostAndPort, Long> answers = new ConcurrentHashMap<>();

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
        Long answer = answers.get(node);
        long from = answer != null && answer - since > 0 ? answer : since;
        if (now - from <= 0) {
            return false;
        }
        Wait wait = waits.merge(node, new Wait(from, now), Wait::and);
        return wait.last - wait.first >= SILENCE_NANOS;
    }

    /** It answered a call now, also if another call that began earlier is still waiting. */
    void isAnswered(HostAndPort node, long now) {
        answers.merge(node, now, (last, next) -> next - last > 0 ? next : last);
        if (!waits.isEmpty()) {
            waits.remove(node);
        }
    }
}
