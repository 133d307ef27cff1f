package dev.holdfast.lock.redis.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.HostAndPort;

/**
 * The latest reply of each sentinel that named the master recently. A sentinel that fell silent says nothing about the
 * current master. Not thread-safe.
 */
final class SentinelReplies {

    private static final long TTL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private record Timed(SentinelReply reply, long at) {}

    private final Map<HostAndPort, Timed> replies = new HashMap<>();

    /**
     * Replaces the previous reply of a sentinel, and drops those of sentinels that fell silent.
     *
     * @param now {@link System#nanoTime}
     */
    void put(HostAndPort sentinel, SentinelReply reply, long now) {
        replies.values().removeIf(each -> now - each.at() > TTL_NANOS);
        replies.put(sentinel, new Timed(reply, now));
    }

    /** Drops the reply of a sentinel that now knows no master. */
    void remove(HostAndPort sentinel) {
        replies.remove(sentinel);
    }

    boolean isEmpty() {
        return replies.isEmpty();
    }

    List<SentinelReply> latest() {
        return replies.values().stream().map(Timed::reply).toList();
    }
}
