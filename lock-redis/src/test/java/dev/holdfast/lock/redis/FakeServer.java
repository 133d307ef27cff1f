package dev.holdfast.lock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What a server would say of itself that cannot be had here; it says nothing else. */
final class FakeServer implements AutoCloseable {

    private final ServerSocket listening;
    private final String info;

    /** @param info what it answers to INFO, line by line */
    FakeServer(String... info) {
        this.info = String.join("\r\n", info) + "\r\n";
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread serving = new Thread(this::serve, "fake-server");
        serving.setDaemon(true);
        serving.start();
    }

    String uri() {
        return "redis://127.0.0.1:" + listening.getLocalPort();
    }

    private void serve() {
        while (!listening.isClosed()) {
            try (Socket client = listening.accept()) {
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
                for (String word = in.readLine(); word != null; word = in.readLine()) {
                    switch (word.toUpperCase(Locale.ROOT)) {
                        case "HELLO" -> answer(client, "*2\r\n$5\r\nproto\r\n:2\r\n");
                        case "INFO" -> answer(client, "$" + info.length() + "\r\n" + info + "\r\n");
                        default -> {} // lengths, and arguments
                    }
                }
            } catch (IOException e) {
                if (!listening.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static void answer(Socket client, String answer) throws IOException {
        client.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
        client.getOutputStream().flush();
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
