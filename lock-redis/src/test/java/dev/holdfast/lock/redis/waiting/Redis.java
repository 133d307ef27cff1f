package dev.holdfast.lock.redis.waiting;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.server.RedisServer;
import java.util.Properties;

/** Locks on a server. */
record Redis(RedisServer server) {

    /** What it takes to open them, and more. */
    Properties settings(String... more) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "redis");
        settings.setProperty("lock.redis.uri", server.uri());
        for (int at = 0; at < more.length; at += 2) {
            settings.setProperty(more[at], more[at + 1]);
        }
        return settings;
    }

    Locks open(String... more) {
        return Locks.open(settings(more));
    }
}
