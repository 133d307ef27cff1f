package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.database.Limits;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Some steps as the parameters of one call, and its rows as their answers. */
final class Batch {

    static final String FUNCTION = "holdfast_apply_v1";

    /** Who does not queue has to ask again: as soon as a grant of the usual short kind may be over. */
    private static final Duration SOON = Duration.ofMillis(50);

    private static final Duration LATER = Duration.ofSeconds(1);

    private final String sql;
    private final Namespace namespace;
    private final List<Step> steps;
    private final String[] kinds;
    private final String[] names;
    private final UUID[] ids;
    private final Long[] lengths;
    private final Boolean[] queues;
    private final Long[] aboves;
    private final String[] owners;
    private final Long[] remembers;
    private boolean releases;

    Batch(String schema, Namespace namespace, List<Step> steps) {
        this.sql = "SELECT * FROM " + schema + "." + FUNCTION + "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        this.namespace = namespace;
        this.steps = steps;
        int size = steps.size();
        kinds = new String[size];
        names = new String[size];
        ids = new UUID[size];
        lengths = new Long[size];
        queues = new Boolean[size];
        aboves = new Long[size];
        owners = new String[size];
        remembers = new Long[size];
        Arrays.fill(queues, false);
        Arrays.fill(aboves, 0L);
        Arrays.fill(owners, "");
        Arrays.fill(remembers, 0L);
        for (int at = 0; at < size; at++) {
            put(at, steps.get(at));
        }
    }

    private void put(int at, Step step) {
        names[at] = step.name().value();
        ids[at] = new UUID(step.id().high(), step.id().low());
        if (step instanceof Step.Acquire acquire) {
            kinds[at] = "acquire";
            lengths[at] = Limits.micros(acquire.length());
            queues[at] = acquire.queue();
            aboves[at] = acquire.above();
            owners[at] = Limits.owner(acquire.owner());
        } else if (step instanceof Step.Renew renew) {
            kinds[at] = "renew";
            lengths[at] = Limits.micros(renew.length());
        } else {
            Step.Release release = (Step.Release) step;
            kinds[at] = "release";
            lengths[at] = Limits.micros(release.keep());
            remembers[at] = Limits.micros(release.remember());
            releases = true;
        }
    }

    /** Whether there is a release among the steps. */
    boolean releases() {
        return releases;
    }

    /**
     * @param millis until we give up; the server is to give up waiting for a row a little earlier, and say so: for a batch,
     *     early enough that its steps can be carried out one by one
     */
    List<Answer> call(Connection connection, int millis) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, namespace.value());
            statement.setString(2, Channel.of(namespace));
            statement.setInt(3, Math.max(1, steps.size() > 1 ? millis / 3 : millis - millis / 10));
            statement.setArray(4, connection.createArrayOf("text", kinds));
            statement.setArray(5, connection.createArrayOf("text", names));
            statement.setArray(6, connection.createArrayOf("uuid", ids));
            statement.setArray(7, connection.createArrayOf("int8", lengths));
            statement.setArray(8, connection.createArrayOf("bool", queues));
            statement.setArray(9, connection.createArrayOf("int8", aboves));
            statement.setArray(10, connection.createArrayOf("text", owners));
            statement.setArray(11, connection.createArrayOf("int8", remembers));
            try (ResultSet rows = statement.executeQuery()) {
                Answer[] answers = new Answer[steps.size()];
                while (rows.next()) {
                    int at = rows.getInt(1) - 1;
                    answers[at] = answer(steps.get(at), rows);
                }
                return List.of(answers);
            }
        }
    }

    private static Answer answer(Step step, ResultSet row) throws SQLException {
        String answer = row.getString(2);
        return switch (answer) {
            case "granted" -> new Answer.Granted(row.getLong(3), micros(row));
            case "waiting" -> new Answer.Waiting(QueueTimes.askAgain(micros(row), row.getInt(3)));
            case "busy" -> new Answer.Busy(soon(micros(row)));
            case "gone" -> new Answer.Gone();
            case "released" -> new Answer.Released(true);
            case "absent" -> new Answer.Released(false);
            case "exhausted" ->
                new Answer.Unavailable(
                        new LockUnavailableException(
                                "no token is left above " + row.getLong(3) + " for " + step.name()
                                        + ": tokens end at 2^53 - 1",
                                null),
                        LATER);
            default -> throw new SQLException("unknown answer '" + answer + "' to " + step);
        };
    }

    private static Duration soon(Duration left) {
        return left.isNegative() || left.compareTo(SOON) > 0 ? SOON : left;
    }

    private static Duration micros(ResultSet row) throws SQLException {
        return Duration.of(row.getLong(4), ChronoUnit.MICROS);
    }
}
