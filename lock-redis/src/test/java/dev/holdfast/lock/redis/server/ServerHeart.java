package dev.holdfast.lock.redis.server;

import dev.holdfast.lock.pulse.Heart;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Whether a server goes on, asked on a connection of its own. {@link Commands} are without its questions. */
public final class ServerHeart implements Heart {

    /** What the server is told. */
    static final String BEAT = "pulse";

    private final HostAndPort address;
    private final JedisClientConfig config;
    private @Nullable Connection connection;

    public ServerHeart(RedisServer server) {
        address = new HostAndPort("127.0.0.1", server.port());
        config = DefaultJedisClientConfig.builder()
                .from(server.clientConfig())
                .socketTimeoutMillis(0)
                .build();
    }

    @Override
    public void beat() {
        try {
            if (connection == null) {
                connection = new Connection(address, config);
            }
            connection.sendCommand(Command.ECHO, BEAT);
            connection.getOne();
        } catch (JedisDataException e) {
            // it says no
        } catch (JedisConnectionException e) {
            close(); // it is dead
        }
    }

    @Override
    public void close() {
        Connection last = connection;
        connection = null;
        if (last != null) {
            try {
                last.forceDisconnect();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
