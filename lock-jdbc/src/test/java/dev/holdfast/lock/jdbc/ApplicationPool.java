package dev.holdfast.lock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import java.util.Map;

/** The configuration of an application's pool, which gives up no connection of a machine that stands still. */
final class ApplicationPool {

    private ApplicationPool() {}

    static HikariConfig of(Postgres database) {
        return of(
                database.url(), database.server().username(), database.server().password());
    }

    /** On the database that a store is opened on with these settings. */
    static HikariConfig of(Map<String, String> settings) {
        return of(
                settings.get("lock.jdbc.url"), settings.get("lock.jdbc.username"), settings.get("lock.jdbc.password"));
    }

    private static HikariConfig of(String url, String username, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(username);
        config.setPassword(password);
        config.setConnectionTimeout(Commands.CALL.toMillis());
        config.setValidationTimeout(Commands.CALL.toMillis());
        config.setInitializationFailTimeout(Commands.CALL.toMillis());
        return config;
    }
}
