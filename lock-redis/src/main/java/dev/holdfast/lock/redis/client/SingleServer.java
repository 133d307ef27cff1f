package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.spi.support.Deadline;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** One server at a time: the standalone one, or the master that the sentinels name. */
class SingleServer implements RedisServers {

    private final ConnectionSource connections;
    private final Supplier<HostAndPort> primary;
    private final Runnable refresh;
    private final int size;

    /**
     * @param primary the current address of the server
     * @param refresh called when another server may have become the primary; returns at once
     * @param size the maximum number of connections
     */
    SingleServer(ConnectionSource connections, Supplier<HostAndPort> primary, Runnable refresh, int size) {
        this.connections = connections;
        this.primary = primary;
        this.refresh = refresh;
        this.size = size;
    }

    @Override
    public int shards() {
        return 1;
    }

    @Override
    public int connections() {
        return size;
    }

    @Override
    public List<Object> call(List<ScriptCall> calls, Deadline deadline) {
        try (Pipeline pipeline = new Pipeline(connections.borrow(primary.get(), deadline), calls)) {
            pipeline.send();
            List<Object> replies = pipeline.receive(deadline);
            pipeline.resendUnknown(replies, deadline);
            for (Object reply : replies) {
                if (RedisErrors.isOfTopology(reply)) {
                    refresh.run();
                    break;
                }
            }
            return replies;
        } catch (JedisException e) {
            refresh.run();
            throw e;
        }
    }

    @Override
    public BorrowedConnection openSubscriber(Deadline deadline) {
        try {
            return connections.openDedicated(primary.get(), deadline);
        } catch (JedisException e) {
            refresh.run();
            throw e;
        }
    }

    @Override
    public <T> T askReplica(HostAndPort replica, Question<T> question, Deadline deadline) {
        return connections.askReplica(replica, question, deadline);
    }

    @Override
    public <T> Map<String, T> askEach(Question<T> question, Deadline deadline) {
        HostAndPort server = primary.get();
        try {
            return Map.of(server.toString(), connections.ask(server, question, deadline));
        } catch (JedisException e) {
            refresh.run();
            throw e;
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
