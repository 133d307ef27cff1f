package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.Step;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Renewals in one bucket that are one call: a script answers many sooner than many scripts do. */
final class Renewals {

    /** So few that nobody else waits for long: a server does nothing else meanwhile. */
    private static final int MOST = 100;

    /** What is not too much for a socket at once, as a call is never divided. */
    private static final int MOST_BYTES = 8 * 1_024;

    private static final byte[] RENEWED = bytes("renewed");

    private final Bucket bucket;
    private final List<byte[]> locks = new ArrayList<>();
    private final List<byte[]> turns = new ArrayList<>();
    private final List<byte[]> queues = new ArrayList<>();
    private final List<byte[]> arguments = new ArrayList<>();
    private final List<Integer> steps = new ArrayList<>();
    private int bytes;

    Renewals(Bucket bucket) {
        this.bucket = bucket;
    }

    /** @param step which of all steps it is */
    void add(Step.Renew renew, byte[] name, int step) {
        byte[] lock = bucket.lock(name);
        byte[] turn = bucket.turn(name);
        byte[] queue = bucket.queue(name);
        byte[] id = bytes(renew.id().toString());
        locks.add(lock);
        turns.add(turn);
        queues.add(queue);
        arguments.add(id);
        arguments.add(bytes(Long.toString(Limits.millis(renew.length()))));
        steps.add(step);
        bytes += lock.length + turn.length + queue.length + id.length;
    }

    boolean isFull() {
        return steps.size() == MOST || bytes >= MOST_BYTES;
    }

    /** Which steps they are, in the order of the answers. */
    List<Integer> steps() {
        return steps;
    }

    /** Whether this is a reply that has something to say of each, rather than why nothing was done. */
    static boolean isAnswer(Object reply) {
        return reply instanceof List<?> words
                && !words.isEmpty()
                && words.get(0) instanceof byte[] first
                && Arrays.equals(first, RENEWED);
    }

    /** What it says of one of them. */
    static Object part(List<?> words, int part) {
        return words.get(1 + part);
    }

    Call call(Keyspace keyspace) {
        List<byte[]> keys = new ArrayList<>(3 * locks.size() + 1);
        keys.addAll(locks);
        keys.addAll(turns);
        keys.addAll(queues);
        keys.add(bucket.mark());
        return keyspace.call(Script.RENEW, locks.size(), keys, arguments);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
