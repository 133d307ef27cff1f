package dev.holdfast.lock.redis.examination;

import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.spi.regime.Health;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** Looks, in one exchange, whether a server can grant on a composite's behalf. */
public final class Checkup {

    private static final Pattern MARK = Pattern.compile("(\\d{1,16}) \\d{1,16} \\d{1,16}");

    private static final long MICROS = 1_000_000;

    private Checkup() {}

    /**
     * How the server is to which this connection leads; one that is no master is not asked by this connection again.
     *
     * @throws JedisDataException if it may not be asked
     */
    public static Health of(Connection connection, Keyspace keyspace) {
        List<CommandArguments> questions = List.of(
                new CommandArguments(Command.INFO),
                new CommandArguments(Command.TIME),
                new CommandArguments(Command.MGET).key(keyspace.mark()).key(keyspace.counter()),
                // What it refuses to everybody it refuses here, too; else nothing is written, as nothing is there.
                new CommandArguments(Command.SET).key(keyspace.trial()).add("").add("XX"));
        questions.forEach(connection::sendCommand);
        List<Object> answers = new ArrayList<>();
        questions.forEach(any -> answers.add(answer(connection)));
        ServerInfo info = ServerInfo.of(text(given(answers.get(0))));
        List<?> time = (List<?>) given(answers.get(1));
        long clock = Long.parseLong(text(time.get(0))) * MICROS + Long.parseLong(text(time.get(1)));
        boolean isMaster = info.role().equals("master");
        if (!isMaster) {
            connection.setBroken(); // another may lead to the master
        }
        Optional<String> objection = objection(info, isMaster).or(() -> refusal(answers.get(3)));
        if (answers.get(2) instanceof JedisDataException e) {
            return new Health(
                    info.lineage(), isMaster, 0, clock, 0, objection.or(() -> Optional.of("says " + e.getMessage())));
        }
        List<?> values = (List<?>) answers.get(2);
        return new Health(info.lineage(), isMaster, epoch(values.get(0)), clock, counted(values.get(1)), objection);
    }

    /** An error is an answer, too: nothing must be left unread. */
    private static Object answer(Connection connection) {
        try {
            return connection.getOne();
        } catch (JedisDataException e) {
            return e;
        }
    }

    private static Optional<String> refusal(Object answer) {
        return answer instanceof JedisDataException e
                ? Optional.of("takes no writes: " + e.getMessage())
                : Optional.empty();
    }

    private static Object given(Object answer) {
        if (answer instanceof JedisDataException e) {
            throw e;
        }
        return answer;
    }

    private static Optional<String> objection(ServerInfo info, boolean isMaster) {
        if (!isMaster) {
            return Optional.of("is a replica");
        } else if (info.isLoading()) {
            return Optional.of("is still reading its data");
        } else if (!info.isNewEnough()) {
            return Optional.of("is too old: it has the commands of Redis " + info.version() + ", and those of "
                    + ServerInfo.OLDEST + " are needed");
        } else if (info.mode().equals("cluster")) {
            return Optional.of("is a node of a Cluster");
        } else if (info.isLimited() && !info.keepsAll()) {
            return Optional.of("may drop a lock that is held when its memory is full: maxmemory-policy is "
                    + info.policy() + ", and has to be " + ServerInfo.KEEPS_ALL);
        }
        return Optional.empty();
    }

    /** What is no mark is none. */
    private static long epoch(@Nullable Object mark) {
        Matcher words = MARK.matcher(mark == null ? "" : text(mark));
        return words.matches() ? Long.parseLong(words.group(1)) : 0;
    }

    private static long counted(@Nullable Object counter) {
        String number = counter == null ? "" : text(counter);
        return number.matches("\\d{1,16}") ? Long.parseLong(number) : 0;
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }
}
