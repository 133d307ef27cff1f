package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockCommand;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import redis.clients.jedis.exceptions.JedisDataException;

/** A release and the acquire of the same lock that follows it, in one call: a strict hand-off within a process. */
final class HandoffScript {

    private static final byte[] HANDED_OFF = bytes("handed-off\n");
    private static final byte[] FAILED = bytes("failed ");

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
        return reply instanceof byte[] text && ScriptReplies.startsWith(text, 0, HANDED_OFF);
    }

    /** The reply to the release, which is part 0, or to the acquire. */
    static Object part(byte[] reply, int part) {
        int acquire = HANDED_OFF.length;
        while (reply[acquire++] != '\n') {}
        int from = part == 0 ? HANDED_OFF.length : acquire;
        int to = part == 0 ? acquire - 1 : reply.length;
        return ScriptReplies.startsWith(reply, from, FAILED)
                ? new JedisDataException(
                        new String(reply, from + FAILED.length, to - from - FAILED.length, StandardCharsets.UTF_8))
                : Arrays.copyOfRange(reply, from, to);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
