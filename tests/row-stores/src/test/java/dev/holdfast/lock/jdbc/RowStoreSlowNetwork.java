package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.SlowNetworkContract;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.LockStore;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** A database with the tables of {@link dev.holdfast.lock.jdbc.row.RowLockDatabase}, far away. */
abstract class RowStoreSlowNetwork extends SlowNetworkContract {

    abstract RowDatabase database();

    @Override
    protected InetSocketAddress server() {
        return database().address();
    }

    @Override
    protected Properties configuration(int port) {
        Properties properties = new Properties();
        properties.putAll(database().settings("lock.jdbc.url", database().urlThrough(port)));
        properties.setProperty("lock.provider", "jdbc");
        return properties;
    }

    @Override
    protected LockStore open(Properties configuration) {
        Map<String, String> settings = new HashMap<>();
        configuration.stringPropertyNames().forEach(key -> settings.put(key, configuration.getProperty(key)));
        settings.remove("lock.provider"); // which is no key of the provider's
        return Opened.store(settings);
    }
}
