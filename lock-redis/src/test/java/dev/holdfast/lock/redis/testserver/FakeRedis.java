package dev.holdfast.lock.redis.testserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** A server or sentinel with scripted answers, which no real one gives. Its threads are daemons. */
public final class FakeRedis implements AutoCloseable {

    /** The answer to HELLO. */
    public static final String WELCOME = "*2\r\n$5\r\nproto\r\n:2\r\n";

    private final ServerSocket listening;
    private final Runnable connected;
    private final UnaryOperator<String> answers;

    /**
     * Starts to listen.
     *
     * @param connected is run with each connection
     * @param answers the raw answer to a word of a command, given in capitals; empty for none, null to hang up
     */
    public FakeRedis(Runnable connected, UnaryOperator<String> answers) {
        this.connected = connected;
        this.answers = answers;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                daemon(() -> serve(client));
            } catch (IOException e) {
                if (!listening.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void serve(Socket client) {
        connected.run();
        try (client) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            for (String word = in.readLine(); word != null; word = in.readLine()) {
                String answer = answers.apply(word.toUpperCase(Locale.ROOT));
                if (answer == null) {
                    return;
                }
                client.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
                client.getOutputStream().flush();
            }
        } catch (IOException e) {
            // The client has left.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "fake-redis");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
