package dev.holdfast.lock.redis.testserver;

import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.util.Properties;

/** A proxy in front of a single server. */
public final class ProxiedRedis {

    private ProxiedRedis() {}

    /** The configuration with a {@code lock.redis.uri} that leads through a new proxy. */
    public static BreakableConnection to(RedisServer server, Properties configuration) {
        FaultyProxy proxy = new FaultyProxy(server.address());
        Properties throughProxy = new Properties();
        throughProxy.putAll(configuration);
        throughProxy.setProperty("lock.redis.uri", uri(server, proxy));
        return BreakableConnection.through(proxy, throughProxy);
    }

    /** The server's URI through this proxy. */
    public static String uri(RedisServer server, FaultyProxy proxy) {
        return server.uri().replaceFirst("//(?<user>.*@)?[^@/]+", "//${user}127.0.0.1:" + proxy.port());
    }
}
