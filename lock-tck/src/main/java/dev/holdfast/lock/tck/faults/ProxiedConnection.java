package dev.holdfast.lock.tck.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Set;

/** One client's connection through the proxy: two sockets, and a thread for each direction. */
final class Connection {

    private static final int PIECE = 64 * 1024;

    private final Socket client;
    private final Socket server;
    private final Traffic traffic;
    private final Set<Connection> open;
    private final Observer observer;
    private volatile boolean serverLeft;
    private volatile boolean closed;

    Connection(Socket client, Socket server, Traffic traffic, Set<Connection> open, Observer observer) {
        this.client = client;
        this.server = server;
        this.traffic = traffic;
        this.open = open;
        this.observer = observer;
    }

    void start() {
        open.add(this);
        FaultyProxy.daemon(() -> pump(client, server, Direction.TO_SERVER), "faulty-proxy-to-server");
        FaultyProxy.daemon(() -> pump(server, client, Direction.TO_CLIENT), "faulty-proxy-to-client");
    }

    private void pump(Socket from, Socket to, Direction direction) {
        byte[] piece = new byte[PIECE];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                observer.sees(direction, piece, length);
                if (traffic.letThrough(direction, () -> closed) && !serverLeft) {
                    out.write(piece, 0, length);
                    out.flush();
                }
            }
        } catch (IOException e) {
            // One side has ended the connection: so is the other told, below.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!(serverLeft && direction == Direction.TO_CLIENT)) {
            close();
        }
    }

    /** The client's side stays as it is, with nobody behind it. */
    void leaveServer() {
        serverLeft = true;
        close(server);
    }

    void close() {
        closed = true;
        open.remove(this);
        close(client);
        close(server);
        traffic.wake();
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
