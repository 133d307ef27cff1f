package dev.holdfast.samples.zookeeper;

import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.tck.Rule;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The kit on a server of ZooKeeper: some of its rules in each build, and all of them in a long one. */
@Tag("second-build")
class ZooKeeperLockStoreTest extends LockStoreContract {

    private static final String SERVERS = "lock.zookeeper.servers";

    /** One or two of each promise: in P1.17 the server is restarted, and in P6.3 it is cut off. */
    private static final Set<Rule> IN_EACH_BUILD = EnumSet.of(
            Rule.P1_1,
            Rule.P1_6,
            Rule.P1_8,
            Rule.P1_17,
            Rule.P2_1,
            Rule.P3_1,
            Rule.P4_4,
            Rule.P5_1,
            Rule.P6_3,
            Rule.P7_1,
            Rule.P9_4,
            Rule.P10_5,
            Rule.M1);

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
    protected Map<String, String> exemptions() {
        boolean isLong = Integer.getInteger("lock.test.scale", 1) > 1;
        return EnumSet.allOf(Rule.class).stream()
                .filter(rule -> !isLong && !IN_EACH_BUILD.contains(rule))
                .collect(Collectors.toMap(Rule::id, rule -> "asked by a long build (-Plong)"));
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
