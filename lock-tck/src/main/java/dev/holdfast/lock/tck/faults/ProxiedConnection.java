package dev.holdfast.lock.tck.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client's connection through the proxy: two sockets, and two threads for each direction. */
final class ProxiedConnection {

    private static final int BUFFER_SIZE = 64 * 1024;

    /** The most pieces of data on the way; beyond that the sender has to wait, as on a real network. */
    private static final int MAX_ON_THE_WAY = 256;

    private static final long FULL_MILLIS = 100;
    private static final byte[] END = {};

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
        start(client, server, Direction.TO_SERVER, "faulty-proxy-to-server");
        start(server, client, Direction.TO_CLIENT, "faulty-proxy-to-client");
    }

    private void start(Socket from, Socket to, Direction direction, String name) {
        BlockingQueue<Piece> onTheWay = new ArrayBlockingQueue<>(MAX_ON_THE_WAY);
        FaultyProxy.daemon(() -> receive(from, onTheWay, direction), name + "-receive");
        FaultyProxy.daemon(() -> send(onTheWay, to, direction), name);
    }

    /** Data that has arrived; without data, the end of the stream. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Piece(byte[] data, long arrivedAt) {}

    /** Reads without a pause: data that waits for its delay must not hold up the arrival of later data. */
    private void receive(Socket from, BlockingQueue<Piece> onTheWay, Direction direction) {
        byte[] buffer = new byte[BUFFER_SIZE];
        try {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                observer.sent(direction, buffer, length);
                put(onTheWay, new Piece(Arrays.copyOf(buffer, length), System.nanoTime()));
            }
        } catch (IOException e) {
            // one side has closed its socket; the other is closed once the data on the way has passed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            put(onTheWay, new Piece(END, System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        }
    }

    private void put(BlockingQueue<Piece> onTheWay, Piece piece) throws InterruptedException {
        while (!onTheWay.offer(piece, FULL_MILLIS, TimeUnit.MILLISECONDS)) {
            if (closed) {
                return;
            }
        }
    }

    private void send(BlockingQueue<Piece> onTheWay, Socket to, Direction direction) {
        try {
            OutputStream out = to.getOutputStream();
            for (Piece piece = onTheWay.take(); piece.data.length > 0; piece = onTheWay.take()) {
                if (faults.letThrough(direction, piece.arrivedAt, () -> closed) && !serverDropped) {
                    out.write(piece.data);
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
