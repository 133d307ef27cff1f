package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.script.ScriptReplies;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What the errors and failures of servers mean for a store. */
public final class RedisErrors {

    /** From a server that is not, or no longer, the one to ask: another connection may lead to the right one. */
    private static final Set<String> OF_CONNECTION = Set.of("READONLY", "MASTERDOWN", "NOAUTH");

    /** From a server that is cut off, or no longer what it was. */
    private static final Set<String> OF_TOPOLOGY = Set.of("CLUSTERDOWN", "READONLY", "MASTERDOWN", "LOADING");

    private static final String NO_CLUSTER = "ERR This instance has cluster support disabled";

    /** Errors that only other settings cure: wrong credentials, missing rights, or something that the server does not have. */
    private static final List<String> OF_SETTINGS =
            List.of("WRONGPASS", "NOAUTH", "NOPERM", "ERR DB index", "ERR unknown command", NO_CLUSTER);

    private RedisErrors() {}

    /** Whether this reply speaks against the connection on which it came. */
    static boolean isOfConnection(Object reply) {
        return OF_CONNECTION.contains(ScriptReplies.errorCode(reply));
    }

    /** Whether this reply says that the roles or slots of the servers may have changed. */
    static boolean isOfTopology(Object reply) {
        return OF_TOPOLOGY.contains(ScriptReplies.errorCode(reply));
    }

    static boolean isTimeout(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }

    /**
     * The exception for a store that could not be opened: wrong settings, or a server that cannot be reached.
     *
     * @param where the address of the servers, without secrets
     */
    public static LockException opening(Object where, RuntimeException failure) {
        String message = "cannot open " + where + ": " + messages(failure)
                + (all(failure).stream().anyMatch(RedisErrors::hasNoCluster)
                        ? ": redis:// is for a single server"
                        : "");
        if (all(failure).stream().anyMatch(RedisErrors::isSetting)) {
            return new LockConfigurationException(message, failure);
        }
        return new LockUnavailableException(message, failure);
    }

    /** The messages of a failure and its causes, the innermost last, each once: those of Jedis alone say little. */
    public static String messages(Throwable failure) {
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

    /** With its causes and suppressed failures, which are those of several nodes. */
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
                        && OF_SETTINGS.stream().anyMatch(String.valueOf(failure.getMessage())::startsWith));
    }

    private static boolean hasNoCluster(Throwable failure) {
        return String.valueOf(failure.getMessage()).startsWith(NO_CLUSTER);
    }
}
