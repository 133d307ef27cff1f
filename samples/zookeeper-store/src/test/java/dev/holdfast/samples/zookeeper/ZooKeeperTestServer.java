package dev.holdfast.samples.zookeeper;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper of one server in this process. It keeps its port and its files across restarts. */
final class ZooKeeperTestServer implements AutoCloseable {

    static {
        System.setProperty("zookeeper.forceSync", "no"); // no test cuts the power
        System.setProperty("zookeeper.preAllocSize", "64");
        System.setProperty(NIOServerCnxnFactory.ZOOKEEPER_NIO_NUM_SELECTOR_THREADS, "1");
        System.setProperty(NIOServerCnxnFactory.ZOOKEEPER_NIO_NUM_WORKER_THREADS, "2");
    }

    /** Sessions last at least two ticks, and time out in whole ticks. */
    private static final int TICK_MILLIS = 250;

    /** Instead of twenty ticks: a session outlasts a machine that stands still for seconds. */
    private static final int MAX_SESSION_MILLIS = 120_000;

    private final Path files;
    private ServerCnxnFactory connections;
    private ZooKeeperServer server;

    ZooKeeperTestServer(Path files) throws Exception {
        this.files = files;
        start(0);
    }

    private void start(int port) throws Exception {
        server = new ZooKeeperServer(files.toFile(), files.toFile(), TICK_MILLIS);
        server.setMaxSessionTimeout(MAX_SESSION_MILLIS);
        connections = ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        connections.startup(server);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), connections.getLocalPort());
    }

    void restart() throws Exception {
        int port = connections.getLocalPort();
        close();
        start(port);
    }

    @Override
    public void close() {
        connections.shutdown();
        server.shutdown();
    }
}
