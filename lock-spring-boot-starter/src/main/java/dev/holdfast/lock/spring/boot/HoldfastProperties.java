package dev.holdfast.lock.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/**
 * The settings of an application's locks. Each is the Holdfast key of the same name, {@code holdfast.lease} being
 * {@code lock.lease}; null where it is not set. The keys of further providers are read in the same way, without a field here.
 */
@ConfigurationProperties("holdfast")
public class HoldfastProperties {

    /** Whether the application gets a Locks bean. */
    private boolean enabled = true;

    /** Whether the application does not start while the store of its locks does not answer. */
    private boolean failFast = true;

    /**
     * Store, by the name of its provider: redis, jdbc, composite, memory or the name of another provider on the class path.
     * Unless set, it is redis or jdbc if exactly one of them has an address.
     */
    private @Nullable String provider;

    /** Separates the names of applications that share a store. Default is spring.application.name, else "default". */
    private @Nullable String namespace;

    /** How long a lease outlives the last renewal of its holder. Default is 30s. */
    private @Nullable Duration lease;

    /** How long a caller waits for a lock at most. Default is no limit. */
    private @Nullable Duration acquireTimeout;

    /** Maximum consecutive hand-offs within one process before another process has its turn. Default is 16. */
    private @Nullable Integer maxLocalHandoffs;

    /** How long one call to the store may take. Default is a third of the lease, 3s at most. */
    private @Nullable Duration callTimeout;

    /** What a list of locks shows before process id and host of a holder. Default is spring.application.name. */
    private @Nullable String application;

    /** Every token of the store is greater than this. Default is no floor. */
    private @Nullable Long tokenFloor;

    @NestedConfigurationProperty
    private final HoldfastJdbcProperties jdbc = new HoldfastJdbcProperties();

    @NestedConfigurationProperty
    private final HoldfastRedisProperties redis = new HoldfastRedisProperties();

    private final Composite composite = new Composite();

    private final Aop aop = new Aop();

    private final Web web = new Web();

    /** Whether the application gets a {@code Locks} bean. */
    public boolean isEnabled() {
        return enabled;
    }

    /** See {@link #isEnabled()}. */
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    /** Whether the start needs the store. */
    public boolean isFailFast() {
        return failFast;
    }

    /** See {@link #isFailFast()}. */
    public void setFailFast(boolean failFast) {
        this.failFast = failFast;
    }

    /** {@code lock.provider}. */
    public @Nullable String getProvider() {
        return provider;
    }

    /** See {@link #getProvider()}. */
    public void setProvider(@Nullable String provider) {
        this.provider = provider;
    }

    /** {@code lock.namespace}. */
    public @Nullable String getNamespace() {
        return namespace;
    }

    /** See {@link #getNamespace()}. */
    public void setNamespace(@Nullable String namespace) {
        this.namespace = namespace;
    }

    /** {@code lock.lease}. */
    public @Nullable Duration getLease() {
        return lease;
    }

    /** See {@link #getLease()}. */
    public void setLease(@Nullable Duration lease) {
        this.lease = lease;
    }

    /** {@code lock.acquire-timeout}. */
    public @Nullable Duration getAcquireTimeout() {
        return acquireTimeout;
    }

    /** See {@link #getAcquireTimeout()}. */
    public void setAcquireTimeout(@Nullable Duration acquireTimeout) {
        this.acquireTimeout = acquireTimeout;
    }

    /** {@code lock.max-local-handoffs}. */
    public @Nullable Integer getMaxLocalHandoffs() {
        return maxLocalHandoffs;
    }

    /** See {@link #getMaxLocalHandoffs()}. */
    public void setMaxLocalHandoffs(@Nullable Integer maxLocalHandoffs) {
        this.maxLocalHandoffs = maxLocalHandoffs;
    }

    /** {@code lock.call-timeout}. */
    public @Nullable Duration getCallTimeout() {
        return callTimeout;
    }

    /** See {@link #getCallTimeout()}. */
    public void setCallTimeout(@Nullable Duration callTimeout) {
        this.callTimeout = callTimeout;
    }

    /** {@code lock.application}. */
    public @Nullable String getApplication() {
        return application;
    }

    /** See {@link #getApplication()}. */
    public void setApplication(@Nullable String application) {
        this.application = application;
    }

    /** {@code lock.token-floor}. */
    public @Nullable Long getTokenFloor() {
        return tokenFloor;
    }

    /** See {@link #getTokenFloor()}. */
    public void setTokenFloor(@Nullable Long tokenFloor) {
        this.tokenFloor = tokenFloor;
    }

    /** The keys of the provider {@code jdbc}. */
    public HoldfastJdbcProperties getJdbc() {
        return jdbc;
    }

    /** The keys of the provider {@code redis}. */
    public HoldfastRedisProperties getRedis() {
        return redis;
    }

    /** The keys of the provider {@code composite}. */
    public Composite getComposite() {
        return composite;
    }

    /** How {@code @Locked} is applied. */
    public Aop getAop() {
        return aop;
    }

    /** Web requests. */
    public Web getWeb() {
        return web;
    }

    /** The keys of the provider {@code composite}. */
    public static class Composite {

        /** Fast store. Default is redis. */
        private @Nullable String primary;

        /** Authority, which grants while the primary cannot be trusted. Default is jdbc. */
        private @Nullable String fallback;

        /** How long a process acts on the authority state that it read last; the same in every process. Default is 10s. */
        private @Nullable Duration authorityLease;

        /** {@code lock.composite.primary}. */
        public @Nullable String getPrimary() {
            return primary;
        }

        /** See {@link #getPrimary()}. */
        public void setPrimary(@Nullable String primary) {
            this.primary = primary;
        }

        /** {@code lock.composite.fallback}. */
        public @Nullable String getFallback() {
            return fallback;
        }

        /** See {@link #getFallback()}. */
        public void setFallback(@Nullable String fallback) {
            this.fallback = fallback;
        }

        /** {@code lock.composite.authority-lease}. */
        public @Nullable Duration getAuthorityLease() {
            return authorityLease;
        }

        /** See {@link #getAuthorityLease()}. */
        public void setAuthorityLease(@Nullable Duration authorityLease) {
            this.authorityLease = authorityLease;
        }
    }

    /** How {@code @Locked} is applied. */
    public static class Aop {

        /**
         * Order of the advice of @Locked. It has to be outside of the transaction, whose order is the lowest unless the
         * application changes it.
         */
        private int order = 1000;

        /** The order of the advice. */
        public int getOrder() {
            return order;
        }

        /** See {@link #getOrder()}. */
        public void setOrder(int order) {
            this.order = order;
        }
    }

    /** What locked methods do on the thread of a web request. */
    public static class Web {

        /** Longest wait for a lock unless the method or holdfast.acquire-timeout says how long. */
        private Duration acquireTimeout = Duration.ofSeconds(10);

        /** How many requests wait for locks at a time. Default is three quarters of the server's threads. */
        private @Nullable Integer maxWaiting;

        /** Whether a request that does not get its lock is answered with 503. */
        private boolean problems = true;

        /** The longest wait. */
        public Duration getAcquireTimeout() {
            return acquireTimeout;
        }

        /** See {@link #getAcquireTimeout()}. */
        public void setAcquireTimeout(Duration acquireTimeout) {
            this.acquireTimeout = acquireTimeout;
        }

        /** How many requests wait; null for three quarters of the server's threads. */
        public @Nullable Integer getMaxWaiting() {
            return maxWaiting;
        }

        /** See {@link #getMaxWaiting()}. */
        public void setMaxWaiting(@Nullable Integer maxWaiting) {
            this.maxWaiting = maxWaiting;
        }

        /** Whether there is an answer for requests that do not get their lock. */
        public boolean isProblems() {
            return problems;
        }

        /** See {@link #isProblems()}. */
        public void setProblems(boolean problems) {
            this.problems = problems;
        }
    }
}
