package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The slots of locks in a Cluster. */
final class SlotNames {

    private static final KeyLayout KEYS = new KeyLayout(new Namespace("default"), 1_024);

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private SlotNames() {}

    /** The slot of a lock in the namespace {@code default}. */
    static int of(String name) {
        return ScriptCall.list(KEYS, new LockName(name)).slot();
    }

    /** So many names of locks that are all with this node, and never were given before. */
    static List<String> namesAt(Cluster cluster, RedisServer node, int count) {
        return Stream.generate(() -> "lock " + NUMBERS.incrementAndGet())
                .filter(name -> cluster.owner(of(name)) == node)
                .limit(count)
                .toList();
    }
}
