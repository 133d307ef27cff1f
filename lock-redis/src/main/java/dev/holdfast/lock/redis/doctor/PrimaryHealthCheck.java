package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** Checks, in one round trip, whether a server can grant on behalf of a composite. */
public final class PrimaryHealthCheck {

    /** The record of a primary term. */
    private static final Pattern RECORD = Pattern.compile("(\\d{1,16}) \\d{1,16} \\d{1,16}");

    private static final long MICROS = 1_000_000;

    private PrimaryHealthCheck() {}

    /**
     * The health of the server of this connection. A connection to a replica is not reused.
     *
     * @throws JedisDataException if the user has no right to ask
     */
    public static PrimaryHealth of(Connection connection, KeyLayout keys) {
        List<CommandArguments> questions = List.of(
                new CommandArguments(Command.INFO),
                new CommandArguments(Command.TIME),
                new CommandArguments(Command.MGET).key(keys.term()).key(keys.tokenCounter()),
                // Refused if the server takes no writes; otherwise nothing is written, as the key does not exist.
                new CommandArguments(Command.SET).key(keys.probe()).add("").add("XX"));
        questions.forEach(connection::sendCommand);
        List<Object> replies = questions.stream()
                .map(any -> PermissionProbe.replyOrError(connection))
                .toList();
        ServerInfo info = ServerInfo.of(text(orThrow(replies.get(0))));
        List<?> time = (List<?>) orThrow(replies.get(1));
        long clock = Long.parseLong(text(time.get(0))) * MICROS + Long.parseLong(text(time.get(1)));
        boolean isMaster = info.role().equals("master");
        if (!isMaster) {
            connection.setBroken(); // another connection may lead to the master
        }
        Optional<String> objection = objection(info, isMaster).or(() -> refusedWrite(replies.get(3)));
        if (replies.get(2) instanceof JedisDataException e) {
            return new PrimaryHealth(
                    info.replicationId(),
                    isMaster,
                    0,
                    clock,
                    0,
                    objection.or(() -> Optional.of("answers " + e.getMessage())));
        }
        List<?> values = (List<?>) replies.get(2);
        return new PrimaryHealth(
                info.replicationId(), isMaster, epoch(values.get(0)), clock, lastToken(values.get(1)), objection);
    }

    private static Object orThrow(Object reply) {
        if (reply instanceof JedisDataException e) {
            throw e;
        }
        return reply;
    }

    private static Optional<String> refusedWrite(Object reply) {
        return reply instanceof JedisDataException e
                ? Optional.of("takes no writes: " + e.getMessage())
                : Optional.empty();
    }

    private static Optional<String> objection(ServerInfo info, boolean isMaster) {
        if (!isMaster) {
            return Optional.of("is a replica");
        } else if (info.isLoading()) {
            return Optional.of("is still loading its data");
        } else if (!info.isNewEnough()) {
            return Optional.of("is too old: it has the commands of Redis " + info.version()
                    + ", and locks need those of " + ServerInfo.OLDEST);
        } else if (info.mode().equals("cluster")) {
            return Optional.of("is a node of a Cluster");
        } else if (info.isLimited() && !info.keepsAll()) {
            return Optional.of("may drop a lock that is held when its memory is full: maxmemory-policy is "
                    + info.policy() + ", and has to be " + ServerInfo.KEEPS_ALL);
        }
        return Optional.empty();
    }

    /** 0 if there is no record, or a foreign value in its place. */
    private static long epoch(@Nullable Object value) {
        Matcher fields = RECORD.matcher(value == null ? "" : text(value));
        return fields.matches() ? Long.parseLong(fields.group(1)) : 0;
    }

    private static long lastToken(@Nullable Object value) {
        String number = value == null ? "" : text(value);
        return number.matches("\\d{1,16}") ? Long.parseLong(number) : 0;
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }
}
