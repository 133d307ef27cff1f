package dev.holdfast.lock.jdbc.server;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a client and a PostgreSQL server, understands as much of the protocol as it takes to count questions, and
 * can keep answers back.
 */
public final class PostgresProxy implements AutoCloseable {

    private static final byte QUERY = 'Q';
    private static final byte SYNC = 'S';

    private final PostgresServer server;
    private final ServerSocket listening;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger questions = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile Hold hold;
    private volatile boolean refusing;
    private volatile CountDownLatch silence = new CountDownLatch(0);

    /** Begins to listen. */
    public PostgresProxy(PostgresServer server) {
        this.server = server;
        try {
            this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept, "accept");
    }

    /** The same database through this proxy; without encryption, which it does not understand. */
    public String url(String direct) {
        return direct.replaceFirst(":" + server.port() + "/", ":" + listening.getLocalPort() + "/")
                + "?sslmode=disable&gssEncMode=disable";
    }

    /** How often a client has asked so far and then waited for an answer. */
    public int questions() {
        return questions.get();
    }

    /** How many connections there have been. */
    public int connections() {
        return connections.get();
    }

    /** How many connections have been ended at once. */
    public int refused() {
        return refused.get();
    }

    /** Keeps every answer back from now on, until it is let go or the connections are cut. */
    public Hold holdAnswers() {
        hold = new Hold();
        return hold;
    }

    /** Cuts all connections; what was kept back is never delivered. */
    public void cut() {
        sockets.forEach(PostgresProxy::close);
        Hold held = hold;
        hold = null;
        if (held != null) {
            held.letGo.countDown();
        }
    }

    /** Cuts all connections and ends new ones at once, until {@link #heal}. */
    public void refuse() {
        refusing = true;
        cut();
    }

    /** Delivers nothing any more, in no direction, until {@link #heal}. */
    public void silence() {
        silence = new CountDownLatch(1);
    }

    /** Ends {@link #refuse} and {@link #silence}. */
    public void heal() {
        refusing = false;
        silence.countDown();
    }

    /** Answers that are kept back. */
    public static final class Hold {
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);

        /** Waits until the server has finished an answer, and so has committed what it is about. */
        public boolean awaitAnswer(long millis) throws InterruptedException {
            return arrived.await(millis, TimeUnit.MILLISECONDS);
        }

        /** Delivers what was kept back. */
        public void letGo() {
            letGo.countDown();
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            cut();
            heal();
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                connect(listening.accept());
            } catch (IOException e) {
                if (!listening.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void connect(Socket client) {
        if (refusing) {
            refused.incrementAndGet();
            close(client);
            return;
        }
        sockets.add(client);
        connections.incrementAndGet();
        try {
            Socket target = new Socket(InetAddress.getLoopbackAddress(), server.port());
            sockets.add(target);
            client.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
            start(() -> pump(client, target, this::ask), "questions");
            start(() -> pump(client, target, this::answer), "answers");
        } catch (IOException e) {
            close(client); // the server is down, as a test wants it
        }
    }

    private interface Direction {
        void run(Socket client, Socket target) throws IOException;
    }

    private void pump(Socket client, Socket target, Direction direction) {
        try {
            direction.run(client, target);
        } catch (IOException e) {
            // one side is gone; so is the other
        } finally {
            close(client);
            close(target);
            sockets.removeAll(List.of(client, target));
        }
    }

    /** Message by message: a type (but for the first message), a length that counts itself, the rest. */
    private void ask(Socket client, Socket target) throws IOException {
        DataInputStream in = new DataInputStream(client.getInputStream());
        OutputStream out = target.getOutputStream();
        boolean first = true;
        while (true) {
            byte type = first ? 0 : in.readByte();
            int length = in.readInt();
            byte[] message = new byte[(first ? 0 : 1) + length];
            int at = 0;
            if (!first) {
                message[at++] = type;
            }
            for (int shift = 24; shift >= 0; shift -= 8) {
                message[at++] = (byte) (length >> shift);
            }
            in.readFully(message, at, length - 4);
            await(silence);
            // Before it is sent: whoever has the answer finds the question counted.
            if (type == QUERY || type == SYNC) {
                questions.incrementAndGet();
            }
            out.write(message);
            out.flush();
            first = false;
        }
    }

    private void answer(Socket client, Socket target) throws IOException {
        InputStream in = target.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] buffer = new byte[65_536];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            Hold held = hold;
            if (held != null) {
                if (isFinished(buffer, read)) {
                    held.arrived.countDown();
                }
                await(held.letGo);
            }
            await(silence);
            out.write(buffer, 0, read);
            out.flush();
        }
    }

    /** Whether it ends with ReadyForQuery, outside a transaction. */
    private static boolean isFinished(byte[] buffer, int length) {
        return length >= 6 && buffer[length - 6] == 'Z' && buffer[length - 1] == 'I';
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void start(Runnable work, String name) {
        Thread thread = new Thread(work, "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }
}
