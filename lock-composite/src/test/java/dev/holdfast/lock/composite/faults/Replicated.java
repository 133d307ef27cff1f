package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.redis.server.RedisServer;
import java.util.List;

/** A Redis that loses what it was told last when another takes over. */
interface Replicated extends AutoCloseable {

    /** Where clients find the master, whichever that is. */
    String uri();

    /** Whoever grants. */
    RedisServer master();

    /** Those without whom it does not fail over, or grant before that. */
    List<RedisServer> all();

    /** From now on the replicas hear of nothing. */
    void cutReplication();

    /** Kills the master, has a replica take its place, and returns that. */
    RedisServer failOver();

    @Override
    void close();
}
