package dev.holdfast.lock.cli;

import dev.holdfast.lock.redis.server.RedisServer;
import java.sql.SQLException;

/** The configuration of a composite of Redis and PostgreSQL for tests. */
final class CompositeRuns {

    private CompositeRuns() {}

    /** Of a database and a namespace of its own. */
    static String newStore() throws SQLException {
        return store(RedisServer.shared().uri());
    }

    /** Of a database and a namespace of its own, with this Redis. */
    static String store(String uri) throws SQLException {
        String database = PostgresRuns.newStore().replace("lock.provider=jdbc\n", "");
        String redis = RedisRuns.store(uri).replace("lock.provider=redis\n", "");
        // Long enough for a busy machine to stand still now and then.
        return "lock.provider=composite\nlock.composite.regime-lease=6s\n" + database + redis;
    }
}
