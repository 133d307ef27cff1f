package dev.holdfast.lock.redis.connection;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A sentinel that answers what no real one can be made to answer, or stops to answer without a word. */
final class FakeSentinel implements AutoCloseable {

    /** An error, for a user that may not ask so. */
    static final String REFUSED = "-NOPERM this user has no permissions to run the 'sentinel|master' command\r\n";

    private final ServerSocket listening;
    private final Runnable asked;
    private volatile String facts = "";
    private volatile String address = "";
    private volatile boolean silent;

    /** @param asked is run with each question; while it is silent, with each connection */
    FakeSentinel(Runnable asked) {
        this.asked = asked;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Names this master from now on. */
    void name(int port, int epoch) {
        answer(
                array("name", "main", "config-epoch", Integer.toString(epoch)),
                array("127.0.0.1", Integer.toString(port)));
    }

    /**
     * Answers so from now on, as it travels.
     *
     * @param toMaster to the question for all that is known of the master
     * @param toAddress to the question for its address
     */
    void answer(String toMaster, String toAddress) {
        facts = toMaster;
        address = toAddress;
    }

    /** Answers nothing from now on, and ends no connection. */
    void fallSilent() {
        silent = true;
    }

    static String array(String... words) {
        StringBuilder array = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            array.append("$").append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return array.toString();
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
        if (silent) {
            asked.run();
        }
        try (client) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            for (String word = in.readLine(); word != null; word = in.readLine()) {
                switch (word.toUpperCase(Locale.ROOT)) {
                    case "HELLO" -> answer(client, "*2\r\n$5\r\nproto\r\n:2\r\n");
                    case "MASTER" -> answer(client, facts);
                    case "GET-MASTER-ADDR-BY-NAME" -> {
                        if (!silent) {
                            asked.run();
                        }
                        answer(client, address);
                    }
                    default -> {} // lengths, and arguments
                }
            }
        } catch (IOException e) {
            // The client has left.
        }
    }

    private void answer(Socket client, String answer) throws IOException {
        if (!silent) {
            client.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
            client.getOutputStream().flush();
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "fake-sentinel");
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
