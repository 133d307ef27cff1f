package dev.holdfast.lock.composite;

import dev.holdfast.lock.redis.testserver.RedisServer;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The composite passes the kit while PostgreSQL grants: the Redis server may drop what it holds, and so never comes to power. In
 * the profile {@code long} it is held to every rule.
 */
class FallbackContractTest extends CompositeContract {

    private static final String REASON =
            "the same whichever store grants: FailoverContractTest holds the composite to it, and lock-jdbc its store";

    /** About names, processes, outages, lost signals, growth and the clock. */
    private static final Set<String> SAME = Set.of(
            "P1.2", "P1.3", "P1.4", "P1.14", "P1.15", "P1.16", "P1.17", "P1.21", "P2.3", "P2.4", "P2.5", "P2.6", "P2.7",
            "P2.10", "P3.3", "P4.11", "P5.3", "P6.1", "P6.2", "P6.3", "P6.4", "P6.5", "P7.12", "P7.13", "P8.8", "P9.1",
            "P9.2", "P9.3", "I4", "I5", "M3", "M4");

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = new Servers(RedisServer.own("maxmemory 100mb", "maxmemory-policy allkeys-lru"));
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    Servers servers() {
        return servers;
    }

    @Override
    protected Map<String, String> exemptions() {
        boolean isLong = Integer.getInteger("lock.test.scale", 1) > 1;
        return isLong
                ? super.exemptions()
                : SAME.stream().collect(Collectors.toMap(Function.identity(), rule -> REASON));
    }
}
