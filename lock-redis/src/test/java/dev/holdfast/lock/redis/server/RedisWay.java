package dev.holdfast.lock.redis.server;

import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.util.Properties;

/** A way to a single server that can be broken. */
public final class RedisWay {

    private RedisWay() {}

    /** A way through a proxy of its own: this configuration, but for {@code lock.redis.uri}. */
    public static BreakableConnection to(RedisServer server, Properties configuration) {
        FaultyProxy proxy = new FaultyProxy(server.address());
        Properties throughProxy = new Properties();
        throughProxy.putAll(configuration);
        throughProxy.setProperty("lock.redis.uri", uri(server, proxy));
        return BreakableConnection.through(proxy, throughProxy);
    }

    /** Where clients find the server through this proxy. */
    public static String uri(RedisServer server, FaultyProxy proxy) {
        return server.uri().replaceFirst("//(?<user>.*@)?[^@/]+", "//${user}127.0.0.1:" + proxy.port());
    }
}
