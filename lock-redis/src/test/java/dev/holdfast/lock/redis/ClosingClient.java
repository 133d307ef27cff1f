package dev.holdfast.lock.redis;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
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
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        return store.execute(commands, timeout);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> to) {
        return store.subscribe(to);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        return store.list(prefix, timeout);
    }

    @Override
    public void close() {
        store.close();
        client.close();
    }
}
