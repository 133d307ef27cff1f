package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.regime.DeposedException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;

/** The rows of our functions as answers. */
final class Answers {

    /** Who does not queue has to ask again: as soon as a grant of the usual short kind may be over. */
    private static final Duration SOON = Duration.ofMillis(50);

    private Answers() {}

    /**
     * @param asked the names of the locks that were asked for, in their order
     * @param signals takes what is to be told to waiters after that
     */
    static List<Answer> of(ResultSet rows, List<LockName> asked, Consumer<String> signals) throws SQLException {
        Answer[] answers = new Answer[asked.size()];
        while (rows.next()) {
            int at = rows.getInt("answer_step") - 1;
            if (at < 0) {
                signals.accept(rows.getString("answer"));
            } else {
                answers[at] = answer(asked.get(at), rows);
            }
        }
        return List.of(answers);
    }

    /** Of grants, our functions see to it that they are on the disk, and with synchronous standbys on theirs. */
    static boolean haveWaited(List<Answer> answers) {
        return answers.stream().anyMatch(Answer.Granted.class::isInstance);
    }

    private static Answer answer(LockName name, ResultSet row) throws SQLException {
        String answer = row.getString("answer");
        return switch (answer) {
            case "granted" -> new Answer.Granted(number(row), micros(row));
            case "waiting" -> new Answer.Waiting(QueueTimes.askAgain(micros(row), (int) number(row)));
            case "busy" -> new Answer.Busy(soon(micros(row)));
            case "gone" -> new Answer.Gone();
            case "released" -> new Answer.Released(true);
            case "absent" -> new Answer.Released(false);
            case "exhausted" ->
                new Answer.Unavailable(new LockUnavailableException(
                        "no token is left above " + number(row) + " for " + name + ": tokens end at 2^53 - 1", null));
            case "deposed" -> new Answer.Unavailable(new DeposedException(row.getString("answer_why")));
            default -> throw new SQLException("unknown answer '" + answer + "' about " + name);
        };
    }

    private static Duration soon(Duration left) {
        return left.isNegative() || left.compareTo(SOON) > 0 ? SOON : left;
    }

    private static long number(ResultSet row) throws SQLException {
        return row.getLong("answer_number");
    }

    private static Duration micros(ResultSet row) throws SQLException {
        return Duration.of(row.getLong("answer_micros"), ChronoUnit.MICROS);
    }
}
