package dev.holdfast.lock.composite;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.server.RedisServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** A Redis and a PostgreSQL server, and a composite of both. */
public final class Servers implements AutoCloseable {

    private final RedisServer redis;
    private final PostgresServer postgres;
    private final String url;

    /** @param redis closed with this */
    public Servers(RedisServer redis) {
        this.redis = redis;
        this.postgres = PostgresServer.own();
        try {
            this.url = postgres.newDatabase();
        } catch (SQLException e) {
            close();
            throw new IllegalStateException(e);
        }
    }

    public RedisServer redis() {
        return redis;
    }

    public PostgresServer postgres() {
        return postgres;
    }

    public String url() {
        return url;
    }

    /** How a composite is opened, by a provider of this name. */
    public Properties configuration(String provider, String regimeLease) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", provider);
        properties.setProperty("lock.composite.primary", "redis");
        properties.setProperty("lock.composite.fallback", "jdbc");
        properties.setProperty("lock.composite.regime-lease", regimeLease);
        properties.setProperty("lock.redis.uri", redis.uri());
        properties.setProperty("lock.jdbc.url", url);
        properties.setProperty("lock.jdbc.username", postgres.username());
        properties.setProperty("lock.jdbc.password", postgres.password());
        return properties;
    }

    /** The first column of the first row. */
    public String value(String sql) {
        try (Connection connection = postgres.connect(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            redis.close();
        } finally {
            postgres.close();
        }
    }
}
