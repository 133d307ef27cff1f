package dev.holdfast.lock.tck.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * A TCP proxy on a free port of the loopback address that behaves like a bad network on demand. A fault applies to open and to
 * new connections, until {@link #pass()}.
 *
 * <p>Thread-safe. Its threads are daemons and end with {@link #close()}.
 */
public final class FaultyProxy implements AutoCloseable {

    private static final int CONNECT_MILLIS = 10_000;

    private final ServerSocket listening;
    private final FaultState faults = new FaultState();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Supplier<TrafficObserver> observers;
    private final Thread accepting;
    private volatile InetSocketAddress server;
    private volatile boolean closed;

    /**
     * Starts to listen.
     *
     * @param server the server that connections lead to
     * @throws UncheckedIOException if no port is free
     */
    public FaultyProxy(InetSocketAddress server) {
        this(server, () -> TrafficObserver.NONE);
    }

    /**
     * Starts to listen, and observes the traffic.
     *
     * @param server the server that connections lead to
     * @param observers called once for each connection, also for a refused one
     * @throws UncheckedIOException if no port is free
     */
    public FaultyProxy(InetSocketAddress server, Supplier<TrafficObserver> observers) {
        this.server = server;
        this.observers = observers;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        accepting = daemon(this::accept, "faulty-proxy-" + port());
    }

    /** The port to connect to instead of the server's. */
    public int port() {
        return listening.getLocalPort();
    }

    /** Closes all connections; new ones lead to another server, as if a virtual address had moved. */
    public void leadTo(InetSocketAddress other) {
        server = other;
        connections.forEach(ProxiedConnection::close);
    }

    /** Ends every fault. Held data is delivered; dropped data is lost. */
    public void pass() {
        faults.pass();
    }

    /**
     * Delays all data in this direction by this much, as a long line does: data sent in quick succession arrives so, too.
     */
    public void delay(Direction direction, Duration by) {
        faults.delay(direction, by);
    }

    /** Holds all data in this direction until {@link #pass()}; the connections stay open. */
    public void hold(Direction direction) {
        faults.hold(direction);
    }

    /** Drops all data in this direction; the connections stay open. */
    public void drop(Direction direction) {
        faults.drop(direction);
    }

    /** Closes all connections, and refuses new ones. */
    public void cut() {
        faults.refuse();
        connections.forEach(ProxiedConnection::close);
    }

    /** Closes all connections on the side of the server; on the side of the client they stay open, without a reply. */
    public void halfOpen() {
        faults.drop(Direction.TO_SERVER);
        faults.drop(Direction.TO_CLIENT);
        connections.forEach(ProxiedConnection::dropServer);
    }

    /**
     * Waits until data is held in this direction, such as the reply to a statement that was executed.
     *
     * @return false if the limit passes first
     */
    public boolean awaitHeld(Direction direction, Duration limit) throws InterruptedException {
        return faults.awaitHeld(direction, limit);
    }

    /** The number of open connections. */
    public int connections() {
        return connections.size();
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = listening.accept();
                TrafficObserver observer = observers.get();
                if (faults.refuses()) {
                    reset(client);
                } else {
                    daemon(() -> connect(client, observer), "faulty-proxy-connect");
                }
            } catch (IOException e) {
                if (!closed) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void connect(Socket client, TrafficObserver observer) {
        InetSocketAddress target = server;
        Socket toServer = new Socket();
        try {
            toServer.connect(target, CONNECT_MILLIS);
            ProxiedConnection connection = new ProxiedConnection(client, toServer, faults, connections, observer);
            connection.start();
            if (closed || faults.refuses() || !target.equals(server)) {
                connection.close();
            }
        } catch (IOException e) {
            // to the client an unreachable server is a connection that ends
            reset(client);
            reset(toServer);
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // the other side has closed it already
        }
        ProxiedConnection.close(socket);
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Closes all connections and stops listening. */
    @Override
    public void close() {
        closed = true;
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
        try {
            accepting.join(); // until then the port may still accept a connection
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
