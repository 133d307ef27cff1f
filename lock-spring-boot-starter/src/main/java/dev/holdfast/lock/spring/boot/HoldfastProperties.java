package dev.holdfast.lock.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What the starter itself reads below {@code holdfast}. Each other property there is the Holdfast key of the same name,
 * {@code holdfast.lease} being {@code lock.lease}, and has no field here.
 */
@ConfigurationProperties("holdfast")
public class HoldfastProperties {

    /** Whether the application gets a Locks bean. */
    private boolean enabled = true;

    /** Whether the start fails if the store of the locks does not answer. */
    private boolean failFast = true;

    private final Jdbc jdbc = new Jdbc();

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

    /** The provider {@code jdbc}. */
    public Jdbc getJdbc() {
        return jdbc;
    }

    /** How {@code @Locked} is applied. */
    public Aop getAop() {
        return aop;
    }

    /** Web requests. */
    public Web getWeb() {
        return web;
    }

    /** The provider {@code jdbc}. */
    public static class Jdbc {

        /** Whether the locks have a pool of their own, or share the data source of the application. */
        private DataSourceChoice dataSource = DataSourceChoice.OWN;

        /** Whose connections are taken. */
        public DataSourceChoice getDataSource() {
            return dataSource;
        }

        /** See {@link #getDataSource()}. */
        public void setDataSource(DataSourceChoice dataSource) {
            this.dataSource = dataSource;
        }
    }

    /** Whose connections the provider {@code jdbc} takes. */
    public enum DataSourceChoice {
        /** Those of a pool of Holdfast's own. */
        OWN,
        /** Those of the application's data source: callers that wait inside of transactions may use them up. */
        SHARED
    }

    /** How {@code @Locked} is applied. */
    public static class Aop {

        /**
         * Order of the advice of @Locked. It has to be outside the transaction, whose order is the lowest unless the
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

    /** The behaviour of locked methods on the thread of a web request. */
    public static class Web {

        /** Longest wait for a lock unless the method or holdfast.acquire-timeout sets one. */
        private Duration acquireTimeout = Duration.ofSeconds(10);

        /** Maximum number of requests that wait for locks at a time. Default is three quarters of the server's threads. */
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

        /** The maximum number of requests that wait; null for three quarters of the server's threads. */
        public @Nullable Integer getMaxWaiting() {
            return maxWaiting;
        }

        /** See {@link #getMaxWaiting()}. */
        public void setMaxWaiting(@Nullable Integer maxWaiting) {
            this.maxWaiting = maxWaiting;
        }

        /** Whether a request that does not get its lock is answered with 503. */
        public boolean isProblems() {
            return problems;
        }

        /** See {@link #isProblems()}. */
        public void setProblems(boolean problems) {
            this.problems = problems;
        }
    }
}
