package dev.holdfast.lock.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The keys of the provider {@code jdbc}; null where they are not set. */
public class HoldfastJdbcProperties {

    /** Whether the locks have a pool of their own, or share the data source of the application. */
    private DataSourceChoice dataSource = DataSourceChoice.OWN;

    /** JDBC URL of the database. Default is that of spring.datasource. */
    private @Nullable String url;

    /** Role at the database. Default is that of spring.datasource, unless the URL is set here. */
    private @Nullable String username;

    /** Password of the role. Default is that of spring.datasource, unless the URL is set here. */
    private @Nullable String password;

    /** Connections of Holdfast's own pool. Default is 8, for SQLite 1. */
    private @Nullable Integer poolSize;

    /** How long a connection of that pool lives at most. Default is 30 minutes. */
    private @Nullable Duration maxLifetime;

    /** Whether Flyway creates the tables of Holdfast. Default is true. */
    private @Nullable Boolean migrate;

    /** Whose connections are taken. */
    public DataSourceChoice getDataSource() {
        return dataSource;
    }

    /** See {@link #getDataSource()}. */
    public void setDataSource(DataSourceChoice dataSource) {
        this.dataSource = dataSource;
    }

    /** {@code lock.jdbc.url}. */
    public @Nullable String getUrl() {
        return url;
    }

    /** See {@link #getUrl()}. */
    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    /** {@code lock.jdbc.username}. */
    public @Nullable String getUsername() {
        return username;
    }

    /** See {@link #getUsername()}. */
    public void setUsername(@Nullable String username) {
        this.username = username;
    }

    /** {@code lock.jdbc.password}. */
    public @Nullable String getPassword() {
        return password;
    }

    /** See {@link #getPassword()}. */
    public void setPassword(@Nullable String password) {
        this.password = password;
    }

    /** {@code lock.jdbc.pool-size}. */
    public @Nullable Integer getPoolSize() {
        return poolSize;
    }

    /** See {@link #getPoolSize()}. */
    public void setPoolSize(@Nullable Integer poolSize) {
        this.poolSize = poolSize;
    }

    /** {@code lock.jdbc.max-lifetime}. */
    public @Nullable Duration getMaxLifetime() {
        return maxLifetime;
    }

    /** See {@link #getMaxLifetime()}. */
    public void setMaxLifetime(@Nullable Duration maxLifetime) {
        this.maxLifetime = maxLifetime;
    }

    /** {@code lock.jdbc.migrate}. */
    public @Nullable Boolean getMigrate() {
        return migrate;
    }

    /** See {@link #getMigrate()}. */
    public void setMigrate(@Nullable Boolean migrate) {
        this.migrate = migrate;
    }

    /** Whose connections are taken. */
    public enum DataSourceChoice {
        /** Those of a pool of Holdfast's own. */
        OWN,
        /** Those of the application's data source: callers that wait inside of transactions may use them up. */
        SHARED
    }
}
