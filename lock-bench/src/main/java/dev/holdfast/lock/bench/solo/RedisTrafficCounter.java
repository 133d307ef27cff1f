package dev.holdfast.lock.bench.solo;

import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.TrafficObserver;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the traffic between clients of Redis and their server: the server's own counter includes the commands that scripts
 * call. Thread-safe.
 */
final class RedisTrafficCounter {

    private final AtomicLong commands = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    /**
     * Traffic.
     *
     * @param commands of the clients
     * @param sent bytes to the server
     * @param received bytes from the server
     */
    record Counts(long commands, long sent, long received) {
        Counts minus(Counts other) {
            return plus(new Counts(-other.commands, -other.sent, -other.received));
        }

        Counts plus(Counts other) {
            return new Counts(commands + other.commands, sent + other.sent, received + other.received);
        }
    }

    /** The traffic until now. */
    Counts counts() {
        return new Counts(commands.get(), sent.get(), received.get());
    }

    /** Observes one more connection. */
    TrafficObserver newConnection() {
        CommandParser parser = new CommandParser();
        return (direction, bytes, length) -> {
            if (direction == Direction.TO_SERVER) {
                sent.addAndGet(length);
                commands.addAndGet(parser.count(bytes, length));
            } else {
                received.addAndGet(length);
            }
        };
    }

    /** Counts the commands in the stream of one client. A command is an array of strings: {@code *2 $3 GET $3 key}. */
    private static final class CommandParser {

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
}
