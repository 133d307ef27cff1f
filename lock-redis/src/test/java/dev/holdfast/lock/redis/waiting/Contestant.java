package dev.holdfast.lock.redis.waiting;

import dev.holdfast.lock.redis.server.RedisServer;
import java.util.List;

/** A lock under one name that all processes know, in whichever way. */
interface Contestant extends AutoCloseable {

    /** How many connections each of them may have. */
    int POOL = 8;

    /** Takes the lock, carries this out, and gives the lock back. */
    void once(Runnable section) throws Exception;

    @Override
    void close();

    /** Which one, in words that another process understands. */
    record Kind(String name, List<String> words) {

        static Kind holdfast(RedisServer server) {
            return new Kind("Holdfast", List.of("holdfast", server.uri()));
        }

        static Kind sleeping(int millis, RedisServer server) {
            return new Kind(
                    "SETNX, sleeps %d ms".formatted(millis),
                    List.of("sleeping", Integer.toString(millis), server.uri()));
        }

        static Kind row(Rows rows) {
            return new Kind(
                    "row lock, %,d rows".formatted(rows.count()),
                    List.of("row", rows.url(), rows.username(), rows.password()));
        }

        Contestant open() {
            return switch (words.get(0)) {
                case "holdfast" -> new Holdfast(words.get(1));
                case "sleeping" -> new SleepingLock(words.get(2), Integer.parseInt(words.get(1)));
                case "row" -> new RowLock(words.get(1), words.get(2), words.get(3));
                default -> throw new IllegalArgumentException(words.toString());
            };
        }
    }
}
