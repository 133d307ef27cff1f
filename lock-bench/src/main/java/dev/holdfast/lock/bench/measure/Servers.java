package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Place;
import dev.holdfast.lock.bench.server.Postgres;
import dev.holdfast.lock.bench.server.Redis;
import dev.holdfast.lock.bench.server.Workplace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** On what all are measured. */
public final class Servers {

    /** At most so many connections of one pool: a server of either kind serves a few at a time, and takes a few hundred. */
    private static final int MOST_CONNECTIONS = 64;

    private final Redis redis;
    private final Postgres postgres;
    private final Path logs;

    private Servers(Redis redis, Postgres postgres, Path logs) {
        this.redis = redis;
        this.postgres = postgres;
        this.logs = logs;
    }

    /** A Redis that writes nothing to a disk, and a PostgreSQL that has every commit on its disk before it answers. */
    public static Servers start(Workplace workplace) throws IOException {
        return new Servers(Redis.inMemory(workplace), Postgres.start(workplace), workplace.newDirectory("runners"));
    }

    /** What they are. */
    public List<String> facts() throws Exception {
        return List.of(
                redis.facts(),
                postgres.facts(),
                "pools of as many connections as threads, at most " + MOST_CONNECTIONS + " in a process");
    }

    /** How many a pool has for so many threads. */
    int connections(int threads) {
        return Math.min(threads, MOST_CONNECTIONS);
    }

    /** For somebody who is alone with them: nothing of those before is left in Redis. */
    public Place cleared() {
        redis.clear();
        return place(MOST_CONNECTIONS);
    }

    Place place(int connections) {
        return new Place(redis.port(), postgres.url(), postgres.username(), connections);
    }

    Path log(String name) {
        return logs.resolve(name + ".log");
    }
}
