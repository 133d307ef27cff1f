package dev.holdfast.lock.redis.testserver;

import java.net.InetSocketAddress;
import java.net.URI;
import org.opentest4j.TestAbortedException;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.util.JedisURIHelper;

/**
 * A server outside of the tests: the system property {@code lock.test.redis.uri} ({@code redis://127.0.0.1:6379}).
 * Never killed, never frozen: a test that would is aborted.
 */
final class ExternalServer implements RedisServer {

    private final URI uri = URI.create(System.getProperty("lock.test.redis.uri", "redis://127.0.0.1:6379"));

    @Override
    public int port() {
        return uri.getPort();
    }

    @Override
    public String uri() {
        return uri.toString();
    }

    @Override
    public InetSocketAddress address() {
        return new InetSocketAddress(uri.getHost(), port());
    }

    @Override
    public JedisClientConfig clientConfig() {
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .timeoutMillis(Awaiting.LIMIT_MILLIS)
                .user(JedisURIHelper.getUser(uri))
                .password(JedisURIHelper.getPassword(uri));
        if (JedisURIHelper.isRedisSSLScheme(uri)) {
            config.sslOptions(SslOptions.defaults());
        }
        return config.build();
    }

    @Override
    public boolean canFail() {
        return false;
    }

    @Override
    public void kill() {
        throw notOurs();
    }

    @Override
    public void start() {
        throw notOurs();
    }

    @Override
    public void wipe() {
        throw notOurs();
    }

    @Override
    public void freeze() {
        throw notOurs();
    }

    @Override
    public void thaw() {
        throw notOurs();
    }

    @Override
    public String log() {
        return "";
    }

    @Override
    public void close() {
        // it is not ours
    }

    private static TestAbortedException notOurs() {
        return new TestAbortedException("an external server is not ours to break");
    }
}
