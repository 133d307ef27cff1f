package dev.holdfast.lock.redis.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
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
 * @param sentinelUsername the same at the sentinels
 * @param sentinelPassword the same at the sentinels
 * @param trustStore the certificates to trust by TLS; empty for those of Java
 * @param poolSize how many calls to one server may be under way at a time
 * @param timeout for connecting, and for the answers to anything that is not a command of the store
 */
public record ConnectionSettings(
        Optional<String> username,
        Optional<String> password,
        Optional<String> sentinelUsername,
        Optional<String> sentinelPassword,
        Optional<TrustStore> trustStore,
        int poolSize,
        Duration timeout) {

    /**
     * A file with trusted certificates.
     *
     * @param file as Java's keytool makes it
     * @param password the file's, if it has one
     */
    public record TrustStore(Path file, Optional<String> password) {

        /** Without the password. */
        @Override
        public String toString() {
            return file.toString();
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
            config.sslOptions(tls());
        }
        return config;
    }

    private SslOptions tls() {
        SslOptions.Builder options = SslOptions.builder().sslVerifyMode(SslVerifyMode.FULL);
        trustStore.ifPresent(given -> options.truststore(
                given.file().toFile(), given.password().map(String::toCharArray).orElse(null)));
        return options.build();
    }

    /** Without the passwords. */
    @Override
    public String toString() {
        return "user " + username.orElse("default") + ", at sentinels " + sentinelUsername.orElse("default")
                + ", trust store " + trustStore.map(TrustStore::toString).orElse("of Java") + ", pool size " + poolSize
                + ", timeout " + timeout;
    }
}
