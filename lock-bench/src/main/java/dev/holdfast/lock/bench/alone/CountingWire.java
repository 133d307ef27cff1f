package dev.holdfast.lock.bench.alone;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An address of the loopback that leads to a Redis server, for one client, and counts the commands that it sends. The server's
 * own count is of no use for that: it counts what scripts call as well.
 */
final class CountingWire implements AutoCloseable {

    private static final int LINE_END = 2;

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong commands = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final int target;

    CountingWire(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** What has passed until now. */
    Passed passed() {
        return new Passed(commands.get(), sent.get(), received.get());
    }

    /**
     * What has passed.
     *
     * @param commands of the client
     * @param sent bytes to the server
     * @param received bytes from it
     */
    record Passed(long commands, long sent, long received) {

        Passed since(Passed before) {
            return new Passed(commands - before.commands, sent - before.sent, received - before.received);
        }

        Passed and(Passed other) {
            return new Passed(commands + other.commands, sent + other.sent, received + other.received);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        sockets.forEach(CountingWire::end);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                connect(listening.accept());
            } catch (IOException e) {
                // closed, or whoever came has gone: the next one may come
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        start(() -> pass(client, server, this::passCommands));
        start(() -> pass(server, client, this::passAnswers));
    }

    private void pass(Socket from, Socket to, Passing passing) {
        try {
            passing.pass(new BufferedInputStream(from.getInputStream()), to.getOutputStream());
        } catch (IOException e) {
            // one of both ends has gone
        } finally {
            end(from);
            end(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private interface Passing {
        void pass(InputStream from, OutputStream to) throws IOException;
    }

    /** A command is an array of strings: {@code *2}, {@code $3}, three bytes, {@code $4}, four bytes, each with its line end. */
    private void passCommands(InputStream from, OutputStream to) throws IOException {
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        while (true) {
            int parts = number(from, '*', together);
            for (int i = 0; i < parts; i++) {
                int length = number(from, '$', together) + LINE_END;
                together.write(from.readNBytes(length));
            }
            commands.incrementAndGet();
            if (from.available() == 0) { // what was sent together goes on together
                sent.addAndGet(together.size());
                together.writeTo(to);
                together.reset();
            }
        }
    }

    private static int number(InputStream from, char kind, ByteArrayOutputStream copy) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = from.read(); next != '\n'; next = from.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            line.write(next);
        }
        line.write('\n');
        line.writeTo(copy);
        String text = line.toString(US_ASCII);
        if (text.charAt(0) != kind) {
            throw new IOException("not the language of Redis: " + text);
        }
        return Integer.parseInt(text.substring(1).trim());
    }

    private void passAnswers(InputStream from, OutputStream to) throws IOException {
        byte[] buffer = new byte[8_192];
        for (int length = from.read(buffer); length >= 0; length = from.read(buffer)) {
            received.addAndGet(length);
            to.write(buffer, 0, length);
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // then it has ended already
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "counting wire");
        thread.setDaemon(true);
        thread.start();
    }
}
