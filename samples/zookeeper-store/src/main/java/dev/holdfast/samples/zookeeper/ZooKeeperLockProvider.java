package dev.holdfast.samples.zookeeper;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.CauseText;
import java.time.Duration;
import java.util.Set;
import org.apache.zookeeper.KeeperException;

/** {@code lock.provider=zookeeper}: locks on the ensemble in {@code lock.zookeeper.servers}. */
public final class ZooKeeperLockProvider implements LockProvider {

    private static final ConfigKey<String> SERVERS = ConfigKey.text(
                    "lock.zookeeper.servers", "the servers, as ZooKeeper's clients take them")
            .required();

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperLockProvider() {}

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(SERVERS);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return open(namespace, config, true);
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
        return open(namespace, config, false);
    }

    private static LockStore open(Namespace namespace, Config config, boolean create) {
        String servers = config.get(SERVERS);
        Duration timeout = config.callTimeout();
        ZooKeeperConnection connection;
        try {
            connection = new ZooKeeperConnection(servers, timeout);
        } catch (IllegalArgumentException e) {
            throw config.invalid(
                    SERVERS, "host:port,host:port, then optionally the path of a node below which the locks are kept");
        } catch (Exception e) {
            throw unavailable(config, e);
        }
        ZooKeeperLockStore store = new ZooKeeperLockStore(connection, namespace);
        try {
            if (create) {
                store.create(timeout);
            }
            store.sweep(timeout);
            return store;
        } catch (KeeperException.NoNodeException e) {
            store.close();
            throw new LockConfigurationException(
                    config.withOrigin(SERVERS) + ": there is no node " + e.getPath() + " at " + servers
                            + ". The first application that uses the namespace creates it; a path in this setting must exist",
                    e);
        } catch (InterruptedException e) {
            store.close();
            Thread.currentThread().interrupt();
            throw unavailable(config, e);
        } catch (Exception e) {
            store.close();
            throw unavailable(config, e);
        }
    }

    private static LockUnavailableException unavailable(Config config, Exception cause) {
        return new LockUnavailableException(
                "cannot reach ZooKeeper at " + config.get(SERVERS) + ": " + CauseText.of(cause), cause);
    }
}
