package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.internal.config.Keys;
import dev.holdfast.lock.internal.config.Sources;
import dev.holdfast.lock.pulse.Patiently;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;

/** Stores, opened from settings as an application's would be; patiently, as the pool gives a first connection a quarter of a second. */
public final class Opened {

    private Opened() {}

    public static LockStore store(Map<String, String> settings) {
        return store("test", settings);
    }

    public static LockStore store(String namespace, Map<String, String> settings) {
        return Patiently.ask(() -> once(namespace, settings));
    }

    /** Or not, if the database cannot be reached in time. */
    static LockStore once(String namespace, Map<String, String> settings) {
        return new JdbcLockProvider().open(new Namespace(namespace), config(settings));
    }

    /** On an application's data source. */
    static LockStore on(DataSource source, Namespace namespace) {
        return Patiently.ask(() -> JdbcLockStore.of(source, namespace));
    }

    public static LockStore sqlite(Path file) {
        return store(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file));
    }

    /** The authority of a composite, which makes what it needs. */
    public static AuthorityStore authority(String namespace, Map<String, String> settings) {
        return Patiently.ask(
                () -> new JdbcLockProvider().openAuthority(new Namespace(namespace), config(settings), true));
    }

    /** What limits a call is the call's own time-out, unless the settings say otherwise. */
    public static Config config(Map<String, String> settings) {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", "1h");
        properties.setProperty("lock.call-timeout", DurationText.format(Steps.CALL));
        properties.putAll(settings);
        return new Sources(Path.of("."), Map.of(), new Properties())
                .settings(properties, "test", new Keys(new JdbcLockProvider().keys()));
    }
}
