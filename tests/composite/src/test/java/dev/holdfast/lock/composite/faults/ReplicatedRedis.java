package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.redis.testserver.RedisServer;

/** A Redis that loses what it was told last when another takes over. */
interface ReplicatedRedis extends AutoCloseable {

    /** Where clients find the master, whichever that is. */
    String uri();

    /** The one that grants. */
    RedisServer master();

    /** From now on the replicas hear of nothing. */
    void cutReplication();

    /** Kills the master, has a replica take its place, and returns that. */
    RedisServer failOver();

    @Override
    void close();
}
