package dev.holdfast.lock.cli;

import dev.holdfast.lock.redis.server.RedisServer;
import java.util.UUID;

/** The configuration of a Redis server for tests. */
final class RedisRuns {

    private RedisRuns() {}

    /** Of a namespace of its own. */
    static String newStore() {
        return store(RedisServer.shared().uri());
    }

    static String store(String uri) {
        return "lock.provider=redis\nlock.redis.uri=" + uri + "\nlock.namespace=" + UUID.randomUUID() + "\n";
    }
}
