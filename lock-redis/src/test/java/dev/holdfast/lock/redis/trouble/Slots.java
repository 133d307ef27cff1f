package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.redis.server.Cluster;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Where the locks of a Cluster are. */
final class Slots {

    private static final Keyspace KEYSPACE = new Keyspace(new Namespace("default"), 1_024);

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private Slots() {}

    /** The slot of a lock in the namespace {@code default}. */
    static int of(String name) {
        return KEYSPACE.look(new LockName(name)).slot();
    }

    /** So many names of locks that are all with this node, and never were given before. */
    static List<String> namesAt(Cluster cluster, RedisServer node, int count) {
        return Stream.generate(() -> "lock " + NUMBERS.incrementAndGet())
                .filter(name -> cluster.owner(of(name)) == node)
                .limit(count)
                .toList();
    }
}
