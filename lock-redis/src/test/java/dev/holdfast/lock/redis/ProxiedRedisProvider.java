package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.client.RedisUri;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A store on a client that finds the servers of a Sentinel or a Cluster behind other ports than they say: those of proxies.
 * The client belongs to the store, and is closed with it.
 */
public final class ProxiedRedisProvider implements LockProvider {

    static final ConfigKey<String> URI =
            ConfigKey.text("lock.mapped.uri", "URI of the servers").required();

    /** Such as {@code 7000=9000,7001=9001}. */
    static final ConfigKey<String> PORTS = ConfigKey.text("lock.mapped.ports", "the port of the proxy of each server")
            .required();

    @Override
    public String name() {
        return "proxied-redis";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(URI, PORTS);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        RedisUri uri = RedisUri.of(config.get(URI));
        Map<Integer, Integer> ports = Arrays.stream(config.get(PORTS).split(","))
                .map(each -> each.split("="))
                .collect(Collectors.toMap(each -> Integer.valueOf(each[0]), each -> Integer.valueOf(each[1])));
        try {
            int timeout = Math.toIntExact(config.callTimeout().toMillis());
            return open(namespace, client(uri, ports, timeout));
        } catch (JedisException e) { // of the client, which cannot even be made while the servers are out of reach
            throw new LockUnavailableException("no servers at " + uri, e);
        }
    }

    private static LockStore open(Namespace namespace, UnifiedJedis client) {
        try {
            return new ClosingClient(RedisLockStore.of(client, namespace), client);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private static UnifiedJedis client(RedisUri uri, Map<Integer, Integer> ports, int timeout) {
        JedisClientConfig mapped = DefaultJedisClientConfig.builder()
                .timeoutMillis(timeout)
                .hostAndPortMapper(address ->
                        new HostAndPort(address.getHost(), ports.getOrDefault(address.getPort(), address.getPort())))
                .build();
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(9);
        return uri.master().isEmpty()
                ? RedisClusterClient.builder()
                        .nodes(uri.hosts())
                        .clientConfig(mapped)
                        .poolConfig(pool)
                        .build()
                : RedisSentinelClient.builder()
                        .masterName(uri.master())
                        .sentinels(uri.hosts())
                        .clientConfig(mapped)
                        .poolConfig(pool)
                        .build();
    }
}
