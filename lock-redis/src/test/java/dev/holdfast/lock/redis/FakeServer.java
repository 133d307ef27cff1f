package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.server.FakeRedis;

/** What a server would say of itself that cannot be had here; it says nothing else. */
final class FakeServer implements AutoCloseable {

    private final FakeRedis server;

    /** @param info what it answers to INFO, line by line */
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
