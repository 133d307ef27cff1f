package dev.holdfast.lock.bench.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;

/**
 * A TCP proxy on the loopback address for clients of Redis. It counts their commands (the server's own counter includes those that
 * scripts call), and it can be pointed to another server or cut, like a virtual address that moves or a link that breaks.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int NO_TARGET = 0;
    private static final int BUFFER = 64 * 1024;

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong commands = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private volatile int target;

    /** @param target the port of the server */
    public TcpProxy(int target) throws IOException {
        this.target = target;
        startThread(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** The traffic until now. */
    public Counts counts() {
        return new Counts(commands.get(), sent.get(), received.get());
    }

    /**
     * The traffic of all clients.
     *
     * @param commands of the clients
     * @param sent bytes to the server
     * @param received bytes from the server
     */
    public record Counts(long commands, long sent, long received) {
        public Counts minus(Counts other) {
            return plus(new Counts(-other.commands, -other.sent, -other.received));
        }

        public Counts plus(Counts other) {
            return new Counts(commands + other.commands, sent + other.sent, received + other.received);
        }
    }

    /** Ends all connections and leads new ones to this port. */
    public void leadTo(int port) {
        target = port;
        sockets.forEach(TcpProxy::end);
        sockets.clear();
    }

    /** Ends all connections and refuses new ones. */
    public void cut() {
        leadTo(NO_TARGET);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                connect(listening.accept());
            } catch (IOException e) {
                // The proxy is closed, or this client has gone.
            }
        }
    }

    private void connect(Socket client) {
        int port = target;
        if (port == NO_TARGET) {
            end(client);
            return;
        }
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(server);
            CommandCounter counter = new CommandCounter();
            startThread(() -> copy(client, server, (bytes, length) -> {
                sent.addAndGet(length);
                commands.addAndGet(counter.count(bytes, length));
            }));
            startThread(() -> copy(server, client, (bytes, length) -> received.addAndGet(length)));
            if (target != port) { // changed while this connection was made
                end(client);
                end(server);
            }
        } catch (IOException e) {
            end(client); // the server does not listen
        }
    }

    private void copy(Socket from, Socket to, ObjIntConsumer<byte[]> observer) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[BUFFER];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                observer.accept(buffer, length);
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            // One side has ended the connection.
        } finally {
            end(from);
            end(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    /** Counts the commands in the stream of one client. A command is an array of strings: {@code *2 $3 GET $3 key}. */
    private static final class CommandCounter {

        private int kind;
        private int number;
        private int strings;
        private int bytesOfString;

        /** The number of commands that end in these bytes. */
        int count(byte[] bytes, int length) {
            int commands = 0;
            for (int i = 0; i < length; i++) {
                int next = bytes[i];
                if (bytesOfString > 0) {
                    bytesOfString--;
                    if (bytesOfString == 0 && --strings == 0) {
                        commands++;
                    }
                } else if (next == '*' || next == '$') {
                    kind = next;
                    number = 0;
                } else if (next >= '0' && next <= '9') {
                    number = 10 * number + next - '0';
                } else if (next == '\n' && kind == '*') {
                    strings = number;
                } else if (next == '\n') {
                    bytesOfString = number + 2; // with its line end
                }
            }
            return commands;
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed already.
        }
    }

    private static void startThread(Runnable work) {
        Thread thread = new Thread(work, "tcp-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
