package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockCommand;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import redis.clients.jedis.exceptions.JedisDataException;

/** A release and the acquire of the same lock that follows it, in one call: a strict hand-off within a process. */
final class HandoffScript {

    private static final byte[] HANDED_OFF = "handed-off".getBytes(StandardCharsets.UTF_8);
    private static final byte[] FAILED = "failed".getBytes(StandardCharsets.UTF_8);

    private HandoffScript() {}

    /** Whether one call can carry both commands. A release that leaves a tombstone needs its own call. */
    static boolean canCarry(LockCommand first, LockCommand second) {
        return first instanceof LockCommand.Release release
                && release.tombstone().isZero()
                && second instanceof LockCommand.Acquire
                && first.name().equals(second.name());
    }

    /** Whether this reply has a part for each of the two commands, rather than the reason why neither was carried out. */
    static boolean isReply(Object reply) {
        return reply instanceof List<?> words && words.size() > 2 && is(words.get(0), HANDED_OFF);
    }

    /** The reply to the release, which is part 0, or to the acquire. */
    static Object part(List<?> words, int part) {
        int acquire = is(words.get(1), FAILED) ? 3 : 2;
        List<?> reply = part == 0 ? words.subList(1, acquire) : words.subList(acquire, words.size());
        return is(reply.get(0), FAILED)
                ? new JedisDataException(new String((byte[]) reply.get(1), StandardCharsets.UTF_8))
                : reply;
    }

    private static boolean is(Object word, byte[] text) {
        return word instanceof byte[] bytes && Arrays.equals(bytes, text);
    }
}
