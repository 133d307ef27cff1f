package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.Tables;
import dev.holdfast.lock.redis.testserver.Keys;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import redis.clients.jedis.RedisClient;

/** What the kit needs to know of a composite. */
abstract class CompositeContract extends LockStoreContract {

    /** Longer than any stall; waiting for it takes no time, as its clock is set ahead. */
    static final String AUTHORITY_LEASE = "30s";

    /** Where its locks are. */
    abstract Servers servers();

    @Override
    protected Properties configuration() {
        return servers().configuration("stepped", AUTHORITY_LEASE);
    }

    /** Neither store can be reached by it. */
    @Override
    protected BreakableConnection breakableConnection() {
        BreakableConnection toRedis = ProxiedRedis.to(servers().redis(), configuration());
        PostgresProxy toPostgres = new PostgresProxy(servers().postgres());
        return new BreakableConnection() {
            @Override
            public Properties configuration() {
                Properties properties = toRedis.configuration();
                properties.setProperty("lock.jdbc.url", toPostgres.url(servers().url()));
                return properties;
            }

            @Override
            public void cut() {
                toRedis.cut();
                toPostgres.refuse();
            }

            @Override
            public void silence() {
                toRedis.silence();
                toPostgres.silence();
            }

            @Override
            public void heal() {
                toPostgres.heal();
                toRedis.heal();
            }

            @Override
            public void close() {
                toPostgres.close();
                toRedis.close();
            }
        };
    }

    /** Restarts both servers. The composites find out by themselves that the replication id of the primary has changed. */
    @Override
    protected void restart() {
        if (!servers().redis().canFail() || !servers().postgres().canFail()) {
            throw notPossible("these servers are not ours to restart");
        }
        Set<String> namespaces = servers().namespaces();
        servers().redis().kill();
        servers().postgres().kill();
        servers().postgres().start();
        servers().redis().start();
        CompositeGroup.stepToFallback(namespaces, new Timing(DurationText.parse(AUTHORITY_LEASE)));
    }

    /** Why M3 is not asked: a restart of both servers is a failover. P1.17, P3.1 and P3.3, the faults' tests and the simulation are. */
    static final String FAILOVERS_END_GRANTS =
            "a grant ends in a failover if its holder is too slow to have it transferred, and the holder knows by its validity";

    @Override
    protected Map<String, String> exemptions() {
        return Map.of("M3", FAILOVERS_END_GRANTS);
    }

    /** Tokens in Redis go by no clock. */
    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        tables().stepClockBack(namespace, by);
    }

    @Override
    protected void prune(Namespace namespace) {
        tables().prune(namespace);
    }

    /** Those under an earlier primary term end with their leases, and are in nothing's way. */
    @Override
    protected long namesKept(Namespace namespace) {
        String term = "}:" + servers().epoch(namespace) + ":";
        try (RedisClient client = servers().redis().client()) {
            return tables().rows(namespace)
                    + Keys.of(client, namespace).stream()
                            .filter(key -> key.contains(term))
                            .map(CompositeContract::name)
                            .distinct()
                            .count();
        }
    }

    private Tables tables() {
        return new Tables(servers().postgres(), servers().url());
    }

    /** What a key is about: {@code holdfast:{ns:0}:<epoch>:<kind>:<name>}. */
    private static String name(String key) {
        String[] words = key.substring(key.indexOf("}:") + 2).split(":", 3);
        return words[1].equals("tombstone") ? words[2].substring(words[2].indexOf(':') + 1) : words[2];
    }
}
