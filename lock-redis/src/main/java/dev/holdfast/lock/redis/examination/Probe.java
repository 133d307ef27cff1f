package dev.holdfast.lock.redis.examination;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.redis.script.Script;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/** Tries at one server whatever a lock needs there, and leaves nothing. */
final class Probe {

    /** Said of the server's state, not of the user's rights; a script's line may stand before it. */
    private static final Pattern UNWELL =
            Pattern.compile("\\b(OOM|READONLY|LOADING|NOREPLICAS|MISCONF|MASTERDOWN|CLUSTERDOWN|BUSY|TRYAGAIN) .*");

    private static final String NO_PERMISSION = "NOPERM";

    private final Connection connection;
    private final Keyspace keyspace;
    private final Script script;
    private final SortedSet<String> commands = new TreeSet<>();
    private boolean keys;
    private boolean channels;

    private Probe(Connection connection, Subject subject) {
        this.connection = connection;
        this.keyspace = subject.keyspace();
        this.script = subject.probe();
    }

    /**
     * What is refused at the server to which this connection leads.
     *
     * @throws JedisDataException if the server is in no state to tell
     */
    static Refusals of(Connection connection, Subject subject) {
        Probe probe = new Probe(connection, subject);
        probe.ask();
        return new Refusals(probe.commands, probe.keys, probe.channels);
    }

    /** What it says of itself; empty if this user may not ask. */
    static Optional<ServerInfo> info(Connection connection) {
        connection.sendCommand(Command.INFO);
        try {
            return Optional.of(ServerInfo.of(text(connection.getOne())));
        } catch (JedisDataException e) {
            if (isRefusal(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** A node of a Cluster has some of the buckets, and says of the others that they are elsewhere. */
    private void ask() {
        for (int bucket = 0; bucket < keyspace.buckets(); bucket++) {
            if (ask(keyspace.probe(script, bucket))) {
                return;
            }
        }
    }

    private boolean ask(Call call) {
        List<CommandArguments> questions = List.of(
                new CommandArguments(Command.PING),
                new CommandArguments(Command.SCRIPT).add("LOAD").add(script.text()),
                call.bySha(),
                call.byText());
        List<String> names = List.of("ping", "script|load", "evalsha", "eval");
        questions.forEach(connection::sendCommand);
        List<Object> answers = new ArrayList<>();
        questions.forEach(any -> answers.add(answer()));
        if (answers.stream().anyMatch(Probe::isElsewhere)) {
            return false;
        }
        for (int at = 0; at < answers.size(); at++) {
            take(names.get(at), answers.get(at));
        }
        return true;
    }

    private static boolean isElsewhere(Object answer) {
        return answer instanceof JedisRedirectionException
                || (answer instanceof JedisDataException e
                        && String.valueOf(e.getMessage()).startsWith("TRYAGAIN"));
    }

    private Object answer() {
        try {
            return connection.getOne();
        } catch (JedisDataException e) {
            return e;
        }
    }

    private void take(String command, Object answer) {
        if (answer instanceof JedisDataException e) {
            if (e instanceof JedisNoScriptException) {
                return; // it could not be loaded, which has been noted
            }
            if (!isRefusal(e)) {
                throw e;
            }
            if (String.valueOf(e.getMessage()).contains("command")) {
                commands.add(command);
            } else {
                keys = true;
            }
        } else if (answer instanceof List<?> refused) {
            for (int at = 0; at + 1 < refused.size(); at += 2) {
                refused(text(refused.get(at)), text(refused.get(at + 1)).strip());
            }
        }
    }

    private void refused(String command, String reason) {
        Matcher unwell = UNWELL.matcher(reason);
        if (unwell.find()) {
            throw new JedisDataException(unwell.group());
        }
        if (command.equals("PUBLISH") && reason.contains("channel")) {
            channels = true;
        } else {
            commands.add(command.toLowerCase(Locale.ROOT));
        }
    }

    private static boolean isRefusal(JedisDataException failure) {
        return String.valueOf(failure.getMessage()).startsWith(NO_PERMISSION);
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }
}
