package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.internal.config.Keys;
import dev.holdfast.lock.internal.config.Sources;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/** Stores, opened from settings as an application's would be. */
final class Opened {

    private Opened() {}

    static LockStore store(Map<String, String> settings) {
        return store("test", settings);
    }

    static LockStore store(String namespace, Map<String, String> settings) {
        return new JdbcLockProvider().open(new Namespace(namespace), config(settings));
    }

    static LockStore sqlite(Path file) {
        return store(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file));
    }

    static Config config(Map<String, String> settings) {
        Properties properties = new Properties();
        properties.putAll(settings);
        return new Sources(Path.of("."), Map.of(), new Properties())
                .settings(properties, "test", new Keys(new JdbcLockProvider().keys()));
    }
}
