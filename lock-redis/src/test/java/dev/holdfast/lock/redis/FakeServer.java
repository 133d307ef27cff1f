package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.testserver.FakeRedis;

/** A server with a scripted INFO, for versions that cannot be started here; it answers nothing else. */
final class FakeServer implements AutoCloseable {

    private final FakeRedis server;

    /** @param info the lines of the reply to INFO */
    FakeServer(String... info) {
        String text = String.join("\r\n", info) + "\r\n";
        server = new FakeRedis(() -> {}, word -> switch (word) {
            case "HELLO" -> FakeRedis.WELCOME;
            case "INFO" -> "$" + text.length() + "\r\n" + text + "\r\n";
            default -> ""; // lengths, and arguments
        });
    }

    String uri() {
        return "redis://127.0.0.1:" + server.port();
    }

    @Override
    public void close() {
        server.close();
    }
}
