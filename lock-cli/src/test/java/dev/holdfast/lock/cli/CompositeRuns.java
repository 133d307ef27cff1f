package dev.holdfast.lock.cli;

import dev.holdfast.lock.redis.server.RedisServer;
import java.sql.SQLException;

/** The configuration of a composite of Redis and PostgreSQL for tests. */
final class CompositeRuns {

    private CompositeRuns() {}

    /** Of a database and a namespace of its own, where nothing is to fail: for a {@link Oversight#PATIENT} one. */
    static String newStore() throws SQLException {
        return store(RedisServer.shared().uri(), "30s");
    }

    /** Of a database and a namespace of its own, with this Redis, which may fail. */
    static String store(String uri) throws SQLException {
        // Long enough for a busy machine to stand still now and then.
        return store(uri, "6s");
    }

    private static String store(String uri, String regimeLease) throws SQLException {
        String database = PostgresRuns.newStore().replace("lock.provider=jdbc\n", "");
        String redis = RedisRuns.store(uri).replace("lock.provider=redis\n", "");
        return "lock.provider=composite\nlock.composite.regime-lease=" + regimeLease + "\n" + database + redis;
    }
}
