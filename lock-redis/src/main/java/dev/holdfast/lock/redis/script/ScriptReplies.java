package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.failover.StaleTermException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.exceptions.JedisDataException;

/** Reads the replies that are common to all scripts: errors of the server, and a primary term that is not active. */
public final class ScriptReplies {

    private static final byte[] STALE_TERM = "stale-term ".getBytes(StandardCharsets.UTF_8);
    private static final byte[] OTHER_SERVER = "other-server ".getBytes(StandardCharsets.UTF_8);

    /** Only a replica says these. */
    private static final Set<String> FROM_REPLICA = Set.of("READONLY", "MASTERDOWN");

    /** The error of a command within a script, as Redis before 7 words it. */
    private static final Pattern IN_SCRIPT = Pattern.compile("ERR Error running script .*: -([A-Z]+) .*");

    private ScriptReplies() {}

    /** The first word of an error, which is its code; empty if this reply is no error. */
    public static String errorCode(Object reply) {
        if (!(reply instanceof JedisDataException error)) {
            return "";
        }
        String message = String.valueOf(error.getMessage());
        Matcher inScript = IN_SCRIPT.matcher(message);
        if (inScript.matches()) {
            return inScript.group(1);
        }
        int end = message.indexOf(' ');
        return end < 0 ? message : message.substring(0, end);
    }

    /** The evidence against the primary term of a call, if this reply to it has any. */
    public static Optional<StaleTermException> staleTerm(Object reply) {
        if (FROM_REPLICA.contains(errorCode(reply))) {
            return Optional.of(new StaleTermException("the server is a replica", true));
        }
        if (!(reply instanceof byte[] text)) {
            return Optional.empty();
        }
        boolean isOtherServer = startsWith(text, 0, OTHER_SERVER);
        if (!isOtherServer && !startsWith(text, 0, STALE_TERM)) {
            return Optional.empty();
        }
        int start = (isOtherServer ? OTHER_SERVER : STALE_TERM).length;
        String evidence = new String(text, start, text.length - start, StandardCharsets.UTF_8);
        return Optional.of(new StaleTermException(evidence, isOtherServer));
    }

    static boolean startsWith(byte[] text, int from, byte[] start) {
        int end = from + start.length;
        return end <= text.length && Arrays.equals(text, from, end, start, 0, start.length);
    }

    /**
     * Returns if this reply has no evidence against the primary term of its call.
     *
     * @throws StaleTermException if it has
     */
    public static void requireTerm(Object reply) {
        staleTerm(reply).ifPresent(stale -> {
            throw stale;
        });
    }
}
