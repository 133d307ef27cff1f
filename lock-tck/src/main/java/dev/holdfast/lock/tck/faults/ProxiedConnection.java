package dev.holdfast.lock.tck.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;

/** A client's connection through the proxy: two sockets, and a thread for each direction. */
final class ProxiedConnection {

    private static final int BUFFER_SIZE = 64 * 1024;

    private final Socket client;
    private final Socket server;
    private final FaultState faults;
    private final Set<ProxiedConnection> open;
    private final TrafficObserver observer;
    private volatile boolean serverDropped;
    private volatile boolean closed;

    ProxiedConnection(
            Socket client, Socket server, FaultState faults, Set<ProxiedConnection> open, TrafficObserver observer) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.open = open;
        this.observer = observer;
    }

    void start() throws SocketException {
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        open.add(this);
        FaultyProxy.daemon(() -> pump(client, server, Direction.TO_SERVER), "faulty-proxy-to-server");
        FaultyProxy.daemon(() -> pump(server, client, Direction.TO_CLIENT), "faulty-proxy-to-client");
    }

    private void pump(Socket from, Socket to, Direction direction) {
        byte[] buffer = new byte[BUFFER_SIZE];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                observer.sent(direction, buffer, length);
                if (faults.letThrough(direction, () -> closed) && !serverDropped) {
                    out.write(buffer, 0, length);
                    out.flush();
                }
            }
        } catch (IOException e) {
            // one side has closed its socket; the other is closed below
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!(serverDropped && direction == Direction.TO_CLIENT)) {
            close();
        }
    }

    /** Closes the server's side only. */
    void dropServer() {
        serverDropped = true;
        close(server);
    }

    void close() {
        closed = true;
        open.remove(this);
        close(client);
        close(server);
        faults.wake();
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
