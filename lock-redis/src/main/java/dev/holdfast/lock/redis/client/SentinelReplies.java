package dev.holdfast.lock.redis.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.HostAndPort;

/**
 * The latest reply of each sentinel that named the master lately. A sentinel that fell silent says nothing about the present
 * master. Not thread-safe.
 */
final class SentinelReplies {

    private static final long TTL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private record Timed(SentinelReply reply, long at) {}

    private final Map<HostAndPort, Timed> replies = new HashMap<>();

    /**
     * Adds the reply of a sentinel in place of the former one, and drops those of sentinels that fell silent.
     *
     * @param now {@link System#nanoTime}
     */
    void put(HostAndPort sentinel, SentinelReply reply, long now) {
        replies.values().removeIf(each -> now - each.at() > TTL_NANOS);
        replies.put(sentinel, new Timed(reply, now));
    }

    /** The sentinel replied that it knows no master. */
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
