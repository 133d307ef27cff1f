package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import javax.net.ssl.SSLException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What a failure of the server means for us. It says so by the first word of its error. */
public final class Failures {

    private static final Duration SOON = Duration.ofMillis(50);

    private static final Duration LATER = Duration.ofMillis(500);

    /** Over in a moment: another node is about to know better, or another script is about to end. */
    private static final Set<String> BRIEF = Set.of("MOVED", "ASK", "TRYAGAIN", "BUSY", "READONLY", "LOADING");

    /** Said by a server that is not, or no longer, the one to ask: another connection may lead to another. */
    private static final Set<String> OF_CONNECTION = Set.of("READONLY", "MASTERDOWN", "NOAUTH");

    /** Not let in, or not to everything. */
    private static final Set<String> SETTING = Set.of("WRONGPASS", "NOAUTH", "NOPERM");

    private Failures() {}

    /** Whether this reply speaks against the connection on which it came. */
    static boolean isOfConnection(Object reply) {
        return reply instanceof JedisDataException error && OF_CONNECTION.contains(word(error));
    }

    /** Whether nothing was heard for too long. */
    static boolean isSilence(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }

    /** When asking again is first worth it. */
    public static Duration askAgain(JedisException failure) {
        return BRIEF.contains(word(failure)) ? SOON : LATER;
    }

    /**
     * What to throw when a store could not be opened: the settings are wrong, or the server is out of reach.
     *
     * @param where the server's address, without secrets
     */
    public static LockException opening(Object where, RuntimeException failure) {
        String message = "cannot open " + where + ": " + because(failure);
        if (isSetting(failure)) {
            return new LockConfigurationException(message, failure);
        }
        return new LockUnavailableException(message, failure);
    }

    /** The reasons, the innermost last, each once: a library's own seldom say anything. */
    public static String because(Throwable failure) {
        StringBuilder reasons = new StringBuilder();
        for (Throwable at = failure; at != null; at = at.getCause()) {
            String reason = at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
            if (reasons.indexOf(reason) < 0) {
                reasons.append(reasons.isEmpty() ? "" : ": ").append(reason);
            }
        }
        return reasons.toString();
    }

    private static boolean isSetting(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SSLException || (at instanceof JedisDataException && isSetting(word(at)))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSetting(String word) {
        return SETTING.contains(word);
    }

    private static String word(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        int end = message.indexOf(' ');
        return end < 0 ? message : message.substring(0, end);
    }
}
