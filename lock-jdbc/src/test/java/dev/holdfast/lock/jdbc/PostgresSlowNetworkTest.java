package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.SlowNetworkContract;
import dev.holdfast.lock.spi.LockStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Tag;

/** PostgreSQL, far away. */
@Tag("first-build")
class PostgresSlowNetworkTest extends SlowNetworkContract {

    private final Postgres database = Postgres.withTables();

    @Override
    protected InetSocketAddress server() {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), database.server().port());
    }

    @Override
    protected Properties configuration(int port) {
        Properties properties = new Properties();
        properties.putAll(database.settings(
                "lock.jdbc.url",
                database.url().replaceFirst("//[^/]*:" + database.server().port() + "/", "//127.0.0.1:" + port + "/")));
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
