package dev.holdfast.lock.redis.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;

/**
 * Credentials, TLS and limits of the connections.
 *
 * @param username an ACL user; empty for the default one
 * @param password empty for none
 * @param sentinelUsername the same for the sentinels
 * @param sentinelPassword the same for the sentinels
 * @param tls the certificates for TLS; empty for those that Java trusts
 * @param poolSize the maximum number of concurrent calls to one server
 * @param timeout for connecting, and for replies to anything but the store's commands
 */
public record ConnectionSettings(
        Optional<String> username,
        Optional<String> password,
        Optional<String> sentinelUsername,
        Optional<String> sentinelPassword,
        Optional<Tls> tls,
        int poolSize,
        Duration timeout) {

    /** The source of the certificates for TLS. */
    public sealed interface Tls {

        /** Applies them. */
        void applyTo(DefaultJedisClientConfig.Builder config);
    }

    /**
     * A file with trusted certificates.
     *
     * @param file as created by Java's keytool
     * @param password the file's, if it has one
     */
    public record TrustStore(Path file, Optional<String> password) implements Tls {

        @Override
        public void applyTo(DefaultJedisClientConfig.Builder config) {
            config.sslOptions(verified()
                    .truststore(file.toFile(), password.map(String::toCharArray).orElse(null))
                    .build());
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "trust store " + file;
        }
    }

    /**
     * Certificates that the application has registered.
     *
     * @param name under which the bundle is registered
     * @param context creates the connections
     * @param parameters of the connections
     */
    public record Bundle(String name, SSLContext context, SSLParameters parameters) implements Tls {

        @Override
        @SuppressWarnings("deprecation") // its replacement takes only certificate files
        public void applyTo(DefaultJedisClientConfig.Builder config) {
            SSLParameters verified = new SSLParameters(parameters.getCipherSuites(), parameters.getProtocols());
            verified.setEndpointIdentificationAlgorithm("HTTPS");
            config.ssl(true).sslSocketFactory(context.getSocketFactory()).sslParameters(verified);
        }

        /** Without the certificates. */
        @Override
        public String toString() {
            return "SSL bundle " + name;
        }
    }

    JedisClientConfig ofServers(RedisUri uri) {
        return config(uri, username, password).database(uri.database()).build();
    }

    JedisClientConfig ofSentinels(RedisUri uri) {
        return config(uri, sentinelUsername, sentinelPassword).build();
    }

    private DefaultJedisClientConfig.Builder config(RedisUri uri, Optional<String> user, Optional<String> secret) {
        int millis = Math.toIntExact(timeout.toMillis());
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP2)
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .connectionTimeoutMillis(millis)
                .socketTimeoutMillis(millis);
        user.ifPresent(config::user);
        secret.ifPresent(config::password);
        if (uri.isTls()) {
            tls.ifPresentOrElse(
                    given -> given.applyTo(config),
                    () -> config.sslOptions(verified().build()));
        }
        return config;
    }

    private static SslOptions.Builder verified() {
        return SslOptions.builder().sslVerifyMode(SslVerifyMode.FULL);
    }

    /** Without the passwords. */
    @Override
    public String toString() {
        return "user " + username.orElse("default") + ", at sentinels " + sentinelUsername.orElse("default")
                + ", " + tls.map(Tls::toString).orElse("certificates of Java") + ", pool size " + poolSize
                + ", timeout " + timeout;
    }
}
