package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import redis.clients.jedis.UnifiedJedis;

/** A store on its own client, which is closed with it. */
record ClosingClient(RedisLockStore store, UnifiedJedis client) implements LockStore {

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public int parallelCalls() {
        return store.parallelCalls();
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        return store.apply(steps, timeout);
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return store.signals(to);
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        return store.inspect(prefix, timeout);
    }

    @Override
    public void close() {
        store.close();
        client.close();
    }
}
