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
 * A TCP proxy on a free port of the loopback address that does to the bytes what a bad network does. Faults apply to the connections
 * that are open and to those to come, until {@link #pass()}.
 *
 * <p>Thread-safe. Its threads are daemons and end with {@link #close()}.
 */
public final class FaultyProxy implements AutoCloseable {

    private static final int CONNECT_MILLIS = 10_000;

    private final ServerSocket listening;
    private final Traffic traffic = new Traffic();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Supplier<Observer> observers;
    private final Thread accepting;
    private volatile InetSocketAddress server;
    private volatile boolean closed;

    /**
     * Starts to listen.
     *
     * @param server where the connections lead to
     * @throws UncheckedIOException if no port can be had
     */
    public FaultyProxy(InetSocketAddress server) {
        this(server, () -> Observer.NONE);
    }

    /** @param observers called once for each client, also for one whose connection is ended at once */
    FaultyProxy(InetSocketAddress server, Supplier<Observer> observers) {
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

    /** Ends all connections, for both sides; new ones lead to this server from now on, as if an address had moved. */
    public void leadTo(InetSocketAddress other) {
        server = other;
        connections.forEach(Connection::close);
    }

    /** Ends every fault. What was held back goes on its way; what was dropped or cut is lost. */
    public void pass() {
        traffic.pass();
    }

    /** Every piece of data that goes this way is late by so much. */
    public void delay(Direction direction, Duration by) {
        traffic.delay(direction, by);
    }

    /** Whatever goes this way is kept until {@link #pass()}. Nobody is told. */
    public void hold(Direction direction) {
        traffic.hold(direction);
    }

    /** Whatever goes this way is lost. Nobody is told. */
    public void drop(Direction direction) {
        traffic.drop(direction);
    }

    /** Ends all connections, for both sides, and ends new ones at once. */
    public void cut() {
        traffic.refuse();
        connections.forEach(Connection::close);
    }

    /** Ends all connections for the server; the client is not told and gets no answer any more. */
    public void halfOpen() {
        traffic.drop(Direction.TO_SERVER);
        traffic.drop(Direction.TO_CLIENT);
        connections.forEach(Connection::leaveServer);
    }

    /**
     * Waits until something is held back in this direction, such as the answer to a statement that has been carried out.
     *
     * @return whether that came to pass within the limit
     */
    public boolean awaitHeld(Direction direction, Duration limit) throws InterruptedException {
        return traffic.awaitHeld(direction, limit);
    }

    /** How many connections are open. */
    public int connections() {
        return connections.size();
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = listening.accept();
                Observer observer = observers.get();
                if (traffic.refuses()) {
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

    private void connect(Socket client, Observer observer) {
        InetSocketAddress target = server;
        Socket toServer = new Socket();
        try {
            toServer.connect(target, CONNECT_MILLIS);
            Connection connection = new Connection(client, toServer, traffic, connections, observer);
            connection.start();
            if (closed || traffic.refuses() || !target.equals(server)) {
                connection.close();
            }
        } catch (IOException e) {
            // An unreachable server is what the client sees as a connection that ends.
            reset(client);
            reset(toServer);
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed by the other side, which is as good.
        }
        Connection.close(socket);
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Ends all connections and stops listening. */
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
            accepting.join(); // until then the port may still take a connection
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
