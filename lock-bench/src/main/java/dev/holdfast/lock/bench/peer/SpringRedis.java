package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's registry on Redis, in the mode that its reference prefers, and renewed. */
final class SpringRedis implements Peer {

    private final LettuceConnectionFactory connections;
    private final ThreadPoolTaskScheduler renewal = new ThreadPoolTaskScheduler();
    private final RedisLockRegistry registry;

    private SpringRedis(Place place) {
        this.connections = LettuceConnection.open(place);
        renewal.setDaemon(true);
        renewal.setRemoveOnCancelPolicy(true);
        renewal.initialize();
        this.registry = new RedisLockRegistry(connections, "spring-redis");
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        registry.setRenewalTaskScheduler(renewal);
    }

    static Candidate candidate() {
        return new Candidate(
                "spring-redis",
                "Spring Integration, Redis",
                Store.REDIS,
                false,
                true,
                LettuceConnection.STATED
                        + "; RedisLockRegistry, PUB_SUB_LOCK: woken by publish/subscribe; 60 s, renewed by a scheduler",
                SpringRedis::new);
    }

    @Override
    public Held acquire(String name) throws InterruptedException {
        Lock lock = registry.obtain(name);
        lock.lockInterruptibly();
        return lock::unlock;
    }

    @Override
    public void close() {
        registry.destroy();
        renewal.destroy();
        connections.destroy();
    }
}
