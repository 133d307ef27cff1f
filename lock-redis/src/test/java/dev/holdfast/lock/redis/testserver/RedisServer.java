package dev.holdfast.lock.redis.testserver;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.opentest4j.TestAbortedException;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.JedisURIHelper;

/**
 * A Redis server for tests that writes every change to its file before it answers; which kind, says
 * {@code -Dlock.test.servers}: {@code embedded} (a real server from a Maven artifact, the default), {@code containers}
 * (Testcontainers) or {@code external} (see {@link ExternalServer}).
 */
public interface RedisServer extends AutoCloseable {

    /** The port on the loopback. */
    int port();

    /** The URI, such as {@code redis://127.0.0.1:6379}; {@code rediss:} if the server has a certificate. */
    String uri();

    /** The address. */
    default InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
    }

    /** A client for the questions of a test, which waits for an answer for a minute; the test closes it. */
    default RedisClient client() {
        return RedisClient.builder()
                .hostAndPort(JedisURIHelper.getHostAndPort(URI.create(uri())))
                .clientConfig(clientConfig())
                .build();
    }

    /** The client configuration for this server. */
    default JedisClientConfig clientConfig() {
        return DefaultJedisClientConfig.builder().build();
    }

    /** Whether this server can be killed, wiped and frozen; if not, a test that does so is aborted. */
    boolean canFail();

    /** Ends the server as a crash would (SIGKILL), and waits until it has ended. */
    void kill();

    /** Restarts a killed server with its data and on its port, and waits until it answers. */
    void start();

    /** Kills the server and starts it again with an empty disk. */
    void wipe();

    /** Suspends the server's process. */
    void freeze();

    /** Resumes a frozen server. */
    void thaw();

    /** The server's log so far; empty if it cannot be read. */
    String log();

    /** Ends the server, frozen or not, and removes its files. */
    @Override
    void close();

    /** One server for all tests of this JVM that do it no harm; ends with the JVM. */
    static RedisServer shared() {
        return Shared.SERVER;
    }

    /**
     * A server that is this test's to break.
     *
     * @param directives lines of its configuration, such as {@code maxmemory 3mb} or those of {@link Certificates}; the last
     *     of a name applies
     * @throws TestAbortedException if there are directives, and the server is an external one
     */
    static RedisServer own(String... directives) {
        Directives all = Directives.standalone().and(directives);
        String kind = System.getProperty("lock.test.servers", "embedded");
        return switch (kind) {
            case "embedded" -> new EmbeddedServer(all);
            case "containers" -> new ContainerServer(all);
            case "external" -> {
                if (directives.length > 0) {
                    throw new TestAbortedException("an external server is not ours to configure");
                }
                yield new ExternalServer();
            }
            default ->
                throw new IllegalArgumentException(
                        "lock.test.servers is '" + kind + "', allowed: embedded, containers, external");
        };
    }

    /** Created on first use. */
    final class Shared {
        private static final RedisServer SERVER = own();

        private Shared() {}
    }
}
