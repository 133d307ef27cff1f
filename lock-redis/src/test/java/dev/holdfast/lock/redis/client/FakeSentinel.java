package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.redis.testserver.FakeRedis;

/** A sentinel with scripted answers, which can fall silent. */
final class FakeSentinel implements AutoCloseable {

    /** An error, for a user that may not ask so. */
    static final String REFUSED = "-NOPERM this user has no permissions to run the 'sentinel|master' command\r\n";

    private final FakeRedis server;
    private final Runnable asked;
    private volatile String facts = "";
    private volatile String address = "";
    private volatile boolean silent;

    /** @param asked runs with each request; while the sentinel is silent, with each connection */
    FakeSentinel(Runnable asked) {
        this.asked = asked;
        this.server = new FakeRedis(this::connected, this::answer);
    }

    int port() {
        return server.port();
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
     * @param toMaster the reply to SENTINEL MASTER
     * @param toAddress to the question for its address
     */
    void answer(String toMaster, String toAddress) {
        facts = toMaster;
        address = toAddress;
    }

    /** Stops answering, and keeps its connections. */
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

    private void connected() {
        if (silent) {
            asked.run();
        }
    }

    private String answer(String word) {
        if (silent) {
            return "";
        }
        return switch (word) {
            case "HELLO" -> FakeRedis.WELCOME;
            case "MASTER" -> facts;
            case "GET-MASTER-ADDR-BY-NAME" -> {
                asked.run();
                yield address;
            }
            default -> ""; // lengths, and arguments
        };
    }

    @Override
    public void close() {
        server.close();
    }
}
