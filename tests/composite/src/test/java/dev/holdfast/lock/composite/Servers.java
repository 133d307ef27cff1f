package dev.holdfast.lock.composite;

import dev.holdfast.lock.internal.config.Keys;
import dev.holdfast.lock.internal.config.Sources;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Redis and a PostgreSQL server, and a composite of both. */
public final class Servers implements AutoCloseable {

    private final RedisServer redis;
    private final PostgresServer postgres;
    private final boolean isOwn;
    private final String url;
    private @Nullable Connection questions;

    /**
     * A database of this test's own on the PostgreSQL server that tests share.
     *
     * @param redis closed with this
     */
    public static Servers sharing(RedisServer redis) {
        return new Servers(redis, PostgresServer.shared(), false);
    }

    /**
     * With a PostgreSQL server that is this test's to break.
     *
     * @param redis closed with this
     */
    public Servers(RedisServer redis) {
        this(redis, PostgresServer.own(), true);
    }

    private Servers(RedisServer redis, PostgresServer postgres, boolean isOwn) {
        this.redis = redis;
        this.postgres = postgres;
        this.isOwn = isOwn;
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

    /** Of all composites that there have been on these servers. */
    Set<String> namespaces() {
        Set<String> namespaces = new HashSet<>();
        try (Connection connection = postgres.connect(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT namespace FROM holdfast_authority_state")) {
            while (rows.next()) {
                namespaces.add(rows.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return namespaces;
    }

    /** Of the composite in this namespace. */
    long epoch(Namespace namespace) {
        try (Connection connection = postgres.connect(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT epoch FROM holdfast_authority_state WHERE namespace = '" + namespace + "'")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How a composite is opened, by a provider of this name. */
    public Properties configuration(String provider, String authorityLease) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", provider);
        properties.setProperty("lock.composite.primary", "redis");
        properties.setProperty("lock.composite.fallback", "jdbc");
        properties.setProperty("lock.composite.authority-lease", authorityLease);
        properties.setProperty("lock.redis.uri", redis.uri());
        properties.setProperty("lock.redis.timeout", "1m"); // longer than a machine stands still
        properties.setProperty("lock.jdbc.url", url);
        properties.setProperty("lock.jdbc.username", postgres.username());
        properties.setProperty("lock.jdbc.password", postgres.password());
        return properties;
    }

    /** The settings of these properties. */
    static Config config(Properties properties) {
        Set<ConfigKey<?>> keys = Stream.of(new CompositeLockProvider(), new RedisLockProvider(), new JdbcLockProvider())
                .flatMap(provider -> provider.keys().stream())
                .collect(Collectors.toSet());
        return new Sources(Path.of("."), Map.of(), new Properties()).settings(properties, "test", new Keys(keys));
    }

    /** The first column of the first row. By a connection that is kept: tests ask time and again, and each costs a process. */
    public synchronized String value(String sql) {
        try {
            if (questions == null) {
                questions = postgres.connect(url);
            }
            try (Statement statement = questions.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                rows.next();
                return String.valueOf(rows.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            closeQuestions();
            redis.close();
        } finally {
            if (isOwn) {
                postgres.close();
            }
        }
    }

    private synchronized void closeQuestions() {
        try {
            if (questions != null) {
                questions.close();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
