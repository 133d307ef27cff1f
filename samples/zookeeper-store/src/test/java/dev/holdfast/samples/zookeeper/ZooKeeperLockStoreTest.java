package dev.holdfast.samples.zookeeper;

import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The kit on a server of ZooKeeper. */
class ZooKeeperLockStoreTest extends LockStoreContract {

    private static final String SERVERS = "lock.zookeeper.servers";

    @TempDir
    static Path files;

    static ZooKeeperTestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new ZooKeeperTestServer(files);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected Properties configuration() {
        return at(server.address().getPort());
    }

    private static Properties at(int port) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "zookeeper");
        properties.setProperty(SERVERS, "127.0.0.1:" + port);
        return properties;
    }

    @Override
    protected BreakableConnection breakableConnection() {
        FaultyProxy proxy = new FaultyProxy(server.address());
        return BreakableConnection.through(proxy, at(proxy.port()));
    }

    @Override
    protected void restart() {
        attempt(() -> {
            server.restart();
            return server;
        });
    }

    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        throw notPossible("the server has the clock of the machine");
    }

    /** Opening a store drops expired entries. */
    @Override
    protected void prune(Namespace namespace) {
        attempt(() -> {
            try (ZooKeeperLockStore store = new ZooKeeperLockStore(connect(), namespace)) {
                store.sweep(patience());
                return store;
            }
        });
    }

    @Override
    protected long namesKept(Namespace namespace) {
        return attempt(() -> {
            Set<String> names = new HashSet<>();
            try (ZooKeeperConnection connection = connect()) {
                String root = ZooKeeperLockStore.root(namespace);
                Deadline deadline = Deadline.in(patience());
                for (String slot : ZooKeeperConnection.await(connection.children(root), deadline)) {
                    String text = ZooKeeperConnection.await(connection.read(root + "/" + slot), deadline)
                            .text();
                    text.lines().skip(1).forEach(line -> names.add(line.substring(line.lastIndexOf(' '))));
                }
            }
            return (long) names.size();
        });
    }

    private ZooKeeperConnection connect() throws Exception {
        return new ZooKeeperConnection(configuration().getProperty(SERVERS), patience());
    }

    private static <T> T attempt(Callable<T> what) {
        try {
            return what.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
