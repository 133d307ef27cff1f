package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.redis.script.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/** Tries everything that locks need at one server, and leaves nothing behind. */
final class PermissionProbe {

    /** Errors about the server's state, not about the user's rights; a script's line number may precede them. */
    private static final Pattern OF_STATE =
            Pattern.compile("\\b(OOM|READONLY|LOADING|NOREPLICAS|MISCONF|MASTERDOWN|CLUSTERDOWN|BUSY|TRYAGAIN) .*");

    private static final String NO_PERMISSION = "NOPERM";

    /** As the server says it to a client, and within a script. */
    private static final Pattern UNKNOWN_COMMAND = Pattern.compile("(?i)\\bunknown (redis |valkey )?command\\b");

    private PermissionProbe() {}

    /**
     * The first permission that is missing at the server of this connection; empty if there is none.
     *
     * @throws JedisDataException if the state of the server prevents an answer
     */
    static Optional<MissingPermission> firstMissing(Connection connection, RedisTarget target) {
        for (int shard = 0; shard < target.keys().shards(); shard++) {
            List<Object> replies = replies(connection, ScriptCall.probe(target.probe(), target.keys(), shard));
            if (replies.stream().noneMatch(PermissionProbe::isElsewhere)) { // a node has only some of the shards
                return firstMissing(replies);
            }
        }
        return Optional.empty();
    }

    private static final List<String> COMMANDS = List.of("ping", "script|load", "evalsha", "eval");

    private static List<Object> replies(Connection connection, ScriptCall probe) {
        List.of(
                        new CommandArguments(Command.PING),
                        new CommandArguments(Command.SCRIPT)
                                .add("LOAD")
                                .add(probe.script().text()),
                        probe.bySha(),
                        probe.byText())
                .forEach(connection::sendCommand);
        return COMMANDS.stream().map(any -> replyOrError(connection)).toList();
    }

    /** The reply to a command that was sent: an error is a reply, too, and none is left unread. */
    static Object replyOrError(Connection connection) {
        try {
            return connection.getOne();
        } catch (JedisDataException e) {
            return e;
        }
    }

    private static boolean isElsewhere(Object reply) {
        return reply instanceof JedisRedirectionException
                || (reply instanceof JedisDataException e
                        && String.valueOf(e.getMessage()).startsWith("TRYAGAIN"));
    }

    private static Optional<MissingPermission> firstMissing(List<Object> replies) {
        for (int at = 0; at < replies.size(); at++) {
            Object reply = replies.get(at);
            if (reply instanceof JedisDataException error && !(error instanceof JedisNoScriptException)) { // not loaded
                if (isUnknownCommand(error)) {
                    return Optional.of(MissingPermission.unknownCommand(COMMANDS.get(at)));
                } else if (!isNoPermission(error)) {
                    throw error;
                }
                return Optional.of(
                        String.valueOf(error.getMessage()).contains("command")
                                ? MissingPermission.command(COMMANDS.get(at))
                                : MissingPermission.KEYS);
            } else if (reply instanceof List<?> refused && !refused.isEmpty()) {
                return Optional.of(
                        inScript(text(refused.get(0)), text(refused.get(1)).strip()));
            }
        }
        return Optional.empty();
    }

    private static MissingPermission inScript(String command, String reason) {
        Matcher ofState = OF_STATE.matcher(reason);
        if (ofState.find()) {
            throw new JedisDataException(ofState.group());
        }
        if (UNKNOWN_COMMAND.matcher(reason).find()) {
            return MissingPermission.unknownCommand(command.toLowerCase(Locale.ROOT));
        }
        return command.equals("PUBLISH") && reason.contains("channel")
                ? MissingPermission.CHANNELS
                : MissingPermission.command(command.toLowerCase(Locale.ROOT));
    }

    /** The server's INFO; empty if this user has no right to it. */
    static Optional<ServerInfo> info(Connection connection) {
        connection.sendCommand(Command.INFO);
        try {
            return Optional.of(ServerInfo.of(text(connection.getOne())));
        } catch (JedisDataException e) {
            if (isNoPermission(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** What is missing to list locks; empty if nothing is. Locks work without it. */
    static Optional<MissingPermission> missingForListing(Connection connection) {
        connection.sendCommand(
                new CommandArguments(Command.SCAN).add("0").add("COUNT").add(1));
        Object reply = replyOrError(connection);
        if (!(reply instanceof JedisDataException error)) {
            return Optional.empty();
        } else if (isUnknownCommand(error)) {
            return Optional.of(MissingPermission.unknownCommand("scan"));
        } else if (!isNoPermission(error)) {
            throw error;
        }
        return Optional.of(MissingPermission.command("scan"));
    }

    private static boolean isNoPermission(JedisDataException error) {
        return String.valueOf(error.getMessage()).startsWith(NO_PERMISSION);
    }

    /** Whether no user has the command: it was renamed, or a proxy or a managed service forbids it. */
    static boolean isUnknownCommand(JedisDataException error) {
        return UNKNOWN_COMMAND.matcher(String.valueOf(error.getMessage())).find();
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }
}
