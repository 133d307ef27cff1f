package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What a failure of the server means for us. It says so by the first word of its error. */
public final class Failures {

    /** Said by a server that is not, or no longer, the one to ask: another connection may lead to another. */
    private static final Set<String> OF_CONNECTION = Set.of("READONLY", "MASTERDOWN", "NOAUTH");

    /** Said by a replica only. */
    private static final Set<String> OF_REPLICA = Set.of("READONLY", "MASTERDOWN");

    /** Said by a server that is cut off, or no longer what it was. */
    private static final Set<String> OF_TOPOLOGY = Set.of("CLUSTERDOWN", "READONLY", "MASTERDOWN", "LOADING");

    private static final String NO_CLUSTER = "ERR This instance has cluster support disabled";

    /** Not let in, or not to everything; or no such thing is there, and never will be. */
    private static final List<String> SETTINGS =
            List.of("WRONGPASS", "NOAUTH", "NOPERM", "ERR DB index", "ERR unknown command", NO_CLUSTER);

    /** How Redis before 7 says what a script was refused. */
    private static final Pattern OF_SCRIPT = Pattern.compile("ERR Error running script .*: -([A-Z]+) .*");

    private Failures() {}

    /** Whether this reply speaks against the connection on which it came. */
    static boolean isOfConnection(Object reply) {
        return reply instanceof JedisDataException error && OF_CONNECTION.contains(word(error));
    }

    /** Whether this is the reply of a replica to what only a master does. */
    static boolean isOfReplica(Object reply) {
        return reply instanceof JedisDataException error && OF_REPLICA.contains(word(error));
    }

    /** Whether this reply of a server says that there may be something new to know about the others. */
    static boolean isOfTopology(Object reply) {
        return reply instanceof JedisDataException error && OF_TOPOLOGY.contains(word(error));
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

    /**
     * What to throw when a store could not be opened: the settings are wrong, or the server is out of reach.
     *
     * @param where the server's address, without secrets
     */
    public static LockException opening(Object where, RuntimeException failure) {
        String message = "cannot open " + where + ": " + because(failure)
                + (all(failure).stream().anyMatch(Failures::hasNoCluster) ? ": redis:// is for a single server" : "");
        if (all(failure).stream().anyMatch(Failures::isSetting)) {
            return new LockConfigurationException(message, failure);
        }
        return new LockUnavailableException(message, failure);
    }

    /** The reasons, the innermost last, each once: a library's own seldom say anything. */
    public static String because(Throwable failure) {
        StringBuilder reasons = new StringBuilder();
        for (Throwable at : all(failure)) {
            String message = at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
            String reason = message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
            if (reasons.indexOf(reason) < 0) {
                reasons.append(reasons.isEmpty() ? "" : ": ").append(reason);
            }
        }
        return reasons.toString();
    }

    /** With what it was caused by; and what several nodes said, of which none was of use, is there as suppressed. */
    private static List<Throwable> all(Throwable failure) {
        List<Throwable> all = new ArrayList<>();
        for (Throwable at = failure; at != null; at = at.getCause()) {
            all.add(at);
            for (Throwable each : at.getSuppressed()) {
                all.addAll(all(each));
            }
        }
        return all;
    }

    private static boolean isSetting(Throwable failure) {
        return failure instanceof SSLException
                || (failure instanceof JedisDataException
                        && SETTINGS.stream().anyMatch(String.valueOf(failure.getMessage())::startsWith));
    }

    private static boolean hasNoCluster(Throwable failure) {
        return String.valueOf(failure.getMessage()).startsWith(NO_CLUSTER);
    }

    private static String word(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher ofScript = OF_SCRIPT.matcher(message);
        if (ofScript.matches()) {
            return ofScript.group(1);
        }
        int end = message.indexOf(' ');
        return end < 0 ? message : message.substring(0, end);
    }
}
