package dev.holdfast.lock.redis;

import static java.util.stream.Collectors.joining;

import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A proxy in front of each of several servers. */
public final class ProxiedServers implements BreakableConnection {

    private final String uri;
    private final Map<Integer, FaultyProxy> proxies = new LinkedHashMap<>();

    /** A proxy for each of these servers, of which this address names some. */
    public ProxiedServers(String uri, List<RedisServer> servers) {
        this.uri = uri;
        servers.forEach(server -> proxies.put(server.port(), new FaultyProxy(server.address())));
    }

    /** The proxy before this server. */
    public FaultyProxy before(RedisServer server) {
        return proxies.get(server.port());
    }

    @Override
    public Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "proxied-redis");
        properties.setProperty(ProxiedRedisProvider.URI.name(), uri);
        properties.setProperty(
                ProxiedRedisProvider.PORTS.name(),
                proxies.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue().port())
                        .collect(joining(",")));
        return properties;
    }

    @Override
    public void cut() {
        proxies.values().forEach(FaultyProxy::cut);
    }

    @Override
    public void silence() {
        for (FaultyProxy proxy : proxies.values()) {
            proxy.hold(Direction.TO_SERVER);
            proxy.hold(Direction.TO_CLIENT);
        }
    }

    @Override
    public void heal() {
        proxies.values().forEach(FaultyProxy::pass);
    }

    @Override
    public void close() {
        proxies.values().forEach(FaultyProxy::close);
    }
}
