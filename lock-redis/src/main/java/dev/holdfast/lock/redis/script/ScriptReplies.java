package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Decodes the server's replies to script calls: the only place that knows their words. */
public final class ScriptReplies {

    private static final byte[] STALE_TERM = ScriptValues.text("stale-term ");
    private static final byte[] OTHER_SERVER = ScriptValues.text("other-server ");
    private static final byte[] RENEWED = ScriptValues.text("renewed");
    private static final byte[] DECIDED = ScriptValues.text("decided\n");
    private static final byte[] LEFT = ScriptValues.text("left");
    private static final byte[] HANDED_OFF = ScriptValues.text("handed-off\n");
    private static final byte[] FAILED = ScriptValues.text("failed ");

    /** The pause before a caller without a place in the queue asks again for a busy lock: brief, as leases may be short. */
    private static final Duration SOON = Duration.ofMillis(20);

    /** Errors that only a replica returns. */
    private static final Set<String> FROM_REPLICA = Set.of("READONLY", "MASTERDOWN");

    /** The error of a command within a script, as Redis before 7 words it. */
    private static final Pattern IN_SCRIPT = Pattern.compile("ERR Error running script .*: -([A-Z]+) .*");

    private ScriptReplies() {}

    /** Whether a set of locks has left the command that this is the reply to. */
    static boolean isLeft(Object reply) {
        return reply instanceof byte[] word && Arrays.equals(word, LEFT);
    }

    /**
     * The reply to a command.
     *
     * @param reply of the server, or the {@link JedisException} that explains why there is none
     * @param isUnderTerm whether the call was that of a primary term
     * @param unavailable the exception of the store for such a failure
     * @throws IllegalStateException if it is not the reply of one of our scripts
     */
    static LockReply decode(
            LockCommand command,
            Object reply,
            boolean isUnderTerm,
            Function<JedisException, LockUnavailableException> unavailable) {
        Optional<StaleTermException> stale = isUnderTerm ? staleTerm(reply) : Optional.empty();
        if (stale.isPresent()) {
            return new LockReply.Unavailable(stale.get());
        }
        return reply instanceof JedisException failure
                ? new LockReply.Unavailable(unavailable.apply(failure))
                : decode(command, reply);
    }

    /**
     * The reply to each command of a call: a part of the call's reply, or what answers all of them.
     *
     * @param commands the number of commands of the call
     */
    static List<Object> parts(Object reply, int commands) {
        if (reply instanceof List<?> words
                && !words.isEmpty()
                && words.get(0) instanceof byte[] first
                && Arrays.equals(first, RENEWED)) {
            return new ArrayList<>(words.subList(1, words.size()));
        } else if (reply instanceof byte[] text && startsWith(text, 0, DECIDED)) {
            return lines(text, DECIDED.length, commands);
        } else if (reply instanceof byte[] text && startsWith(text, 0, HANDED_OFF)) {
            return List.of(handedOff(text, 0), handedOff(text, 1));
        }
        return Collections.nCopies(commands, reply);
    }

    /** The lines of a text from this place on. */
    private static List<Object> lines(byte[] text, int start, int expected) {
        List<Object> lines = new ArrayList<>(expected);
        int from = start;
        for (int at = start; at <= text.length; at++) {
            if (at == text.length || text[at] == '\n') {
                lines.add(Arrays.copyOfRange(text, from, at));
                from = at + 1;
            }
        }
        return lines;
    }

    /** The reply to the release of a hand-off, which is part 0, or to its acquire. */
    private static Object handedOff(byte[] reply, int part) {
        int acquire = HANDED_OFF.length;
        while (reply[acquire++] != '\n') {}
        int from = part == 0 ? HANDED_OFF.length : acquire;
        int to = part == 0 ? acquire - 1 : reply.length;
        return word(reply, from, to);
    }

    /** The reply to one command of a hand-off, or the error that stands for it. */
    private static Object word(byte[] reply, int from, int to) {
        return startsWith(reply, from, FAILED)
                ? new JedisDataException(
                        new String(reply, from + FAILED.length, to - from - FAILED.length, StandardCharsets.UTF_8))
                : Arrays.copyOfRange(reply, from, to);
    }

    private static LockReply decode(LockCommand command, Object reply) {
        if (!(reply instanceof byte[] bytes)) {
            throw unknown(command, reply);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (command instanceof LockCommand.Acquire acquire && Character.isDigit(text.charAt(0))) {
            Duration lease = Duration.ofMillis(ScriptValues.wholeMillis(acquire.lease()));
            return new LockReply.Granted(Long.parseLong(text), lease);
        }
        int space = text.indexOf(' ');
        String rest = text.substring(space + 1);
        return switch (space < 0 ? text : text.substring(0, space)) {
            case "granted" -> granted(rest);
            case "queued" -> queued(rest);
            case "busy" -> new LockReply.Busy(soon(millis(rest, 0, rest.indexOf(' '))));
            case "gone" -> new LockReply.Gone();
            case "released" -> new LockReply.Released(true);
            case "absent" -> new LockReply.Released(false);
            case "exhausted" -> exhausted(command, rest);
            case "composite" ->
                unavailable("a composite grants the locks of this namespace, the lock " + command.name()
                        + " among them: use lock.provider=composite, or another lock.namespace");
            default -> throw unknown(command, text);
        };
    }

    /** {@code <token> <ms left>} */
    private static LockReply granted(String words) {
        int space = words.indexOf(' ');
        return new LockReply.Granted(Long.parseLong(words, 0, space, 10), millis(words, space + 1, words.length()));
    }

    /** {@code <ms left> <waiters ahead>} */
    private static LockReply queued(String words) {
        int space = words.indexOf(' ');
        return new LockReply.Queued(
                QueueTimes.retryAfter(millis(words, 0, space), Integer.parseInt(words, space + 1, words.length(), 10)));
    }

    /** {@code <last token> <where tokens end>} */
    private static LockReply exhausted(LockCommand command, String words) {
        int space = words.indexOf(' ');
        return unavailable("no token is left above " + words.substring(0, space) + " for the lock " + command.name()
                + ": tokens end at " + words.substring(space + 1));
    }

    private static LockReply unavailable(String message) {
        return new LockReply.Unavailable(new LockUnavailableException(message, null));
    }

    private static IllegalStateException unknown(LockCommand command, Object reply) {
        return new IllegalStateException("the server answered " + command + " with " + reply);
    }

    private static Duration soon(Duration left) {
        return left.isNegative() || left.compareTo(SOON) > 0 ? SOON : left;
    }

    private static Duration millis(String words, int from, int to) {
        return Duration.ofMillis(Long.parseLong(words, from, to, 10));
    }

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

    private static boolean startsWith(byte[] text, int from, byte[] start) {
        int end = from + start.length;
        return end <= text.length && Arrays.equals(text, from, end, start, 0, start.length);
    }

    /**
     * Verifies that this reply has no evidence against the primary term of its call.
     *
     * @throws StaleTermException if it has
     */
    public static void requireTerm(Object reply) {
        staleTerm(reply).ifPresent(stale -> {
            throw stale;
        });
    }
}
