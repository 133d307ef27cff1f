package dev.holdfast.lock.redis.waiting;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.util.Properties;

/** Ours. */
final class Holdfast implements Contestant {

    private final Locks locks;
    private final DistributedLock lock;

    Holdfast(String uri) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "redis");
        settings.setProperty("lock.redis.uri", uri);
        settings.setProperty("lock.redis.pool-size", Integer.toString(POOL));
        locks = Locks.open(settings);
        lock = locks.named("goods");
    }

    @Override
    public void once(Runnable section) throws InterruptedException {
        try (Lease lease = lock.acquire()) {
            lease.ensureHeld();
            section.run();
        }
    }

    @Override
    public void close() {
        locks.close();
    }
}
