package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.Step;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import redis.clients.jedis.exceptions.JedisDataException;

/** A lock given back for one id and asked for by another, in one call: what a strict hand-over within a process does. */
final class Passing {

    private static final byte[] PASSED = "passed".getBytes(StandardCharsets.UTF_8);
    private static final byte[] FAILED = "failed".getBytes(StandardCharsets.UTF_8);

    private Passing() {}

    /** Whether the two can be one call. An id that is to be remembered is given back by a call of its own. */
    static boolean are(Step release, Step acquire) {
        return release instanceof Step.Release its
                && its.remember().isZero()
                && acquire instanceof Step.Acquire
                && release.name().equals(acquire.name());
    }

    /** Whether this is a reply that says what came of both, rather than why nothing was done. */
    static boolean isAnswer(Object reply) {
        return reply instanceof List<?> words && words.size() > 2 && is(words.get(0), PASSED);
    }

    /** What came of the release, which is the first, or of the acquire. */
    static Object part(List<?> words, int part) {
        int second = is(words.get(1), FAILED) ? 3 : 2;
        List<?> its = part == 0 ? words.subList(1, second) : words.subList(second, words.size());
        return is(its.get(0), FAILED)
                ? new JedisDataException(new String((byte[]) its.get(1), StandardCharsets.UTF_8))
                : its;
    }

    private static boolean is(Object word, byte[] text) {
        return word instanceof byte[] bytes && Arrays.equals(bytes, text);
    }
}
