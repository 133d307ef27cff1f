package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.script.ScriptReplies;
import dev.holdfast.lock.spi.support.CauseText;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import redis.clients.jedis.exceptions.JedisDataException;

/** The meaning of servers' errors and failures for a store. */
public final class RedisErrors {

    /** Errors of a server that is not, or no longer, the right one: another connection may lead to the right one. */
    private static final Set<String> OF_CONNECTION = Set.of("READONLY", "MASTERDOWN", "NOAUTH");

    /** Errors of a server that is cut off, or whose state has changed. */
    private static final Set<String> OF_TOPOLOGY = Set.of("CLUSTERDOWN", "READONLY", "MASTERDOWN", "LOADING");

    private static final String NO_CLUSTER = "ERR This instance has cluster support disabled";

    /** Errors that only a change of settings cures: wrong credentials, missing rights, or something that the server lacks. */
    private static final List<String> OF_SETTINGS =
            List.of("WRONGPASS", "NOAUTH", "NOPERM", "ERR DB index", "ERR unknown command", NO_CLUSTER);

    /** Failures of an established connection whose other side sends nothing, sends nonsense, or hangs up. */
    private static final Pattern MISMATCH = Pattern.compile(
            "Read timed out|Connection reset|Broken pipe|Unexpected end of stream|Unknown reply|terminated the handshake");

    private RedisErrors() {}

    /** Whether this reply is evidence against its connection. */
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
    public static LockException opening(String where, RuntimeException failure) {
        String message = "cannot open " + where + ": " + tlsAdvice(where, failure) + reason(failure)
                + (all(failure).stream().anyMatch(RedisErrors::hasNoCluster)
                        ? ": redis:// is for a single server"
                        : "");
        if (all(failure).stream().anyMatch(RedisErrors::isSetting)) {
            return new LockConfigurationException(message, failure);
        }
        return new LockUnavailableException(message, failure);
    }

    /** The exception for a request without a result: the server refused it, or did not answer. */
    public static LockUnavailableException unavailable(String where, RuntimeException failure) {
        boolean isRefused = failure instanceof JedisDataException;
        return new LockUnavailableException(
                (isRefused ? where + " refused: " : "no answer from " + where + ": ") + reason(failure), failure);
    }

    /**
     * The meaning of a refusal and the server's words for it, or the chain of failures, root cause first: Jedis's messages say
     * little.
     */
    private static String reason(Throwable failure) {
        String words = CauseText.of(failure);
        return all(failure).stream()
                .flatMap(each -> ServerRefusals.meaning(each).stream())
                .findFirst()
                .map(meaning -> meaning + " (" + words + ")")
                .orElse(words);
    }

    /**
     * Neither side says so if only one of them speaks TLS: one waits for the other, closes the connection, or reads nonsense. Both do, or
     * neither does, once the server has answered the greeting of a connection.
     */
    private static String tlsAdvice(String where, Throwable failure) {
        boolean isTls = where.startsWith("rediss");
        boolean mayBeMismatch = all(failure).stream()
                .filter(HandshakeException.class::isInstance)
                .flatMap(each -> all(each).stream())
                .anyMatch(each -> isMismatch(isTls, each));
        if (!mayBeMismatch) {
            return "";
        }
        return isTls
                ? "no answer in TLS; if the server does not use TLS at this port, the URI begins with redis, not rediss: "
                : "no answer without TLS; if the server uses TLS at this port, the URI begins with rediss, not redis: ";
    }

    private static boolean isMismatch(boolean isTls, Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return MISMATCH.matcher(message).find()
                || (isTls && message.contains("Unsupported or unrecognized SSL message"));
    }

    /** The failure with its causes and suppressed failures; the latter are those of several nodes. */
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
