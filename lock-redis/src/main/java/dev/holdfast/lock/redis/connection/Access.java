package dev.holdfast.lock.redis.connection;

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
 * How to get in, and how long to try.
 *
 * @param username an ACL user; empty for the default one
 * @param password empty for none
 * @param sentinelUsername the same at the sentinels
 * @param sentinelPassword the same at the sentinels
 * @param trust whom to trust by TLS; empty for whom Java trusts
 * @param poolSize how many calls may be under way to one server at a time
 * @param timeout how long connecting may take, and how long an answer to whatever is no step
 */
public record Access(
        Optional<String> username,
        Optional<String> password,
        Optional<String> sentinelUsername,
        Optional<String> sentinelPassword,
        Optional<Trust> trust,
        int poolSize,
        Duration timeout) {

    /**
     * A file with the certificates of whom to trust.
     *
     * @param file as Java's keytool makes it
     * @param password the file's, if it has one
     */
    public record Trust(Path file, Optional<String> password) {

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

    private DefaultJedisClientConfig.Builder config(RedisUri uri, Optional<String> user, Optional<String> itsPassword) {
        int millis = Math.toIntExact(timeout.toMillis());
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP2)
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .connectionTimeoutMillis(millis)
                .socketTimeoutMillis(millis);
        user.ifPresent(config::user);
        itsPassword.ifPresent(config::password);
        if (uri.isTls()) {
            config.sslOptions(tls());
        }
        return config;
    }

    private SslOptions tls() {
        SslOptions.Builder options = SslOptions.builder().sslVerifyMode(SslVerifyMode.FULL);
        trust.ifPresent(given -> options.truststore(
                given.file().toFile(), given.password().map(String::toCharArray).orElse(null)));
        return options.build();
    }

    /** Without the passwords. */
    @Override
    public String toString() {
        return "as " + username.orElse("default") + ", at sentinels as " + sentinelUsername.orElse("default")
                + ", trusting " + trust.map(Trust::toString).orElse("whom Java trusts") + ", " + poolSize
                + " at a time, within " + timeout;
    }
}
