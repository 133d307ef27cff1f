package dev.holdfast.lock.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The keys of the provider {@code redis}; null where they are not set. */
public class HoldfastRedisProperties {

    /** URI of the servers, such as redis://host:6379/0. Default is made of spring.data.redis. */
    private @Nullable String uri;

    /** ACL user. Default is that of spring.data.redis, unless the URI is set here. */
    private @Nullable String username;

    /** Password of the user. Default is that of spring.data.redis, unless the URI is set here. */
    private @Nullable String password;

    /** ACL user at the sentinels. */
    private @Nullable String sentinelUsername;

    /** Password at the sentinels. */
    private @Nullable String sentinelPassword;

    /** File with the certificates to trust by TLS. Default is those of Java. */
    private @Nullable String trustStore;

    /** Password of that file. */
    private @Nullable String trustStorePassword;

    /** SSL bundle with the certificates of TLS. Default is that of spring.data.redis, unless the URI is set here. */
    private @Nullable String sslBundle;

    /** Concurrent calls to one server. Default is 16. */
    private @Nullable Integer poolSize;

    /** How long connecting may take. Default is 3s. */
    private @Nullable Duration timeout;

    /** {@code lock.redis.uri}. */
    public @Nullable String getUri() {
        return uri;
    }

    /** See {@link #getUri()}. */
    public void setUri(@Nullable String uri) {
        this.uri = uri;
    }

    /** {@code lock.redis.username}. */
    public @Nullable String getUsername() {
        return username;
    }

    /** See {@link #getUsername()}. */
    public void setUsername(@Nullable String username) {
        this.username = username;
    }

    /** {@code lock.redis.password}. */
    public @Nullable String getPassword() {
        return password;
    }

    /** See {@link #getPassword()}. */
    public void setPassword(@Nullable String password) {
        this.password = password;
    }

    /** {@code lock.redis.sentinel-username}. */
    public @Nullable String getSentinelUsername() {
        return sentinelUsername;
    }

    /** See {@link #getSentinelUsername()}. */
    public void setSentinelUsername(@Nullable String sentinelUsername) {
        this.sentinelUsername = sentinelUsername;
    }

    /** {@code lock.redis.sentinel-password}. */
    public @Nullable String getSentinelPassword() {
        return sentinelPassword;
    }

    /** See {@link #getSentinelPassword()}. */
    public void setSentinelPassword(@Nullable String sentinelPassword) {
        this.sentinelPassword = sentinelPassword;
    }

    /** {@code lock.redis.trust-store}. */
    public @Nullable String getTrustStore() {
        return trustStore;
    }

    /** See {@link #getTrustStore()}. */
    public void setTrustStore(@Nullable String trustStore) {
        this.trustStore = trustStore;
    }

    /** {@code lock.redis.trust-store-password}. */
    public @Nullable String getTrustStorePassword() {
        return trustStorePassword;
    }

    /** See {@link #getTrustStorePassword()}. */
    public void setTrustStorePassword(@Nullable String trustStorePassword) {
        this.trustStorePassword = trustStorePassword;
    }

    /** {@code lock.redis.ssl-bundle}. */
    public @Nullable String getSslBundle() {
        return sslBundle;
    }

    /** See {@link #getSslBundle()}. */
    public void setSslBundle(@Nullable String sslBundle) {
        this.sslBundle = sslBundle;
    }

    /** {@code lock.redis.pool-size}. */
    public @Nullable Integer getPoolSize() {
        return poolSize;
    }

    /** See {@link #getPoolSize()}. */
    public void setPoolSize(@Nullable Integer poolSize) {
        this.poolSize = poolSize;
    }

    /** {@code lock.redis.timeout}. */
    public @Nullable Duration getTimeout() {
        return timeout;
    }

    /** See {@link #getTimeout()}. */
    public void setTimeout(@Nullable Duration timeout) {
        this.timeout = timeout;
    }
}
