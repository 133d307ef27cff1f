package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.util.Properties;

/** Holdfast as an application has it: opened by a configuration, renewed leases, safety and fairness on. */
final class Holdfast implements Peer {

    private final Locks locks;

    private Holdfast(Locks locks) {
        this.locks = locks;
    }

    /** On Redis. */
    static Peer onRedis(Place place, int handoff) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "redis");
        settings.setProperty("lock.redis.uri", "redis://127.0.0.1:" + place.redisPort());
        return open(settings, handoff);
    }

    /** On PostgreSQL. */
    static Peer onPostgreSql(Place place, int handoff) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "jdbc");
        settings.setProperty("lock.jdbc.url", place.jdbcUrl());
        settings.setProperty("lock.jdbc.username", place.jdbcUsername());
        return open(settings, handoff);
    }

    private static Peer open(Properties settings, int handoff) {
        settings.setProperty("lock.handoff", Integer.toString(handoff));
        settings.setProperty("lock.wait", "10m");
        return new Holdfast(Locks.open(settings));
    }

    @Override
    public Held acquire(String name) throws InterruptedException {
        DistributedLock lock = locks.named(name);
        Lease lease = lock.acquire();
        return lease::release;
    }

    @Override
    public void close() {
        locks.close();
    }
}
