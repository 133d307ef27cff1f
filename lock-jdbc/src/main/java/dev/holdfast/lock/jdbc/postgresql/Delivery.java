package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Deadline;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Delivers several things in one call, or if one of them is in the way of the others, one by one.
 *
 * @param <T> what is delivered, and answered
 */
final class Delivery<T> {

    private final Connections connections;
    private final Standbys standbys;
    private final Function<List<T>, Session.Call<List<Answer>>> calls;

    /** @param calls makes one call of several things */
    Delivery(Connections connections, Standbys standbys, Function<List<T>, Session.Call<List<Answer>>> calls) {
        this.connections = connections;
        this.standbys = standbys;
        this.calls = calls;
    }

    /**
     * For how many milliseconds the server waits for a row.
     *
     * @param size of the batch
     * @param millis until we give up; the server is to give up a little earlier, and say so: for a batch, early enough that
     *     its parts can be delivered one by one
     */
    static int patience(int size, int millis) {
        return Math.max(1, size > 1 ? millis / 3 : millis - millis / 10);
    }

    List<Answer> deliver(List<T> all, Deadline deadline) throws SQLException {
        Session.Call<List<Answer>> call = calls.apply(all);
        try {
            return standbys.ask(connections, deadline, call);
        } catch (SQLException e) {
            if (Failures.isBlockedRow(e) && all.size() > 1) {
                return oneByOne(all, deadline);
            } else if (Failures.isUndone(e) && !deadline.isOver()) {
                return standbys.ask(connections, deadline, call);
            }
            throw e;
        }
    }

    /** Somebody keeps one of the rows locked, who is none of ours: that must not keep the others from their rows. */
    private List<Answer> oneByOne(List<T> all, Deadline deadline) throws SQLException {
        List<Answer> answers = new ArrayList<>(all.size());
        for (T each : all) {
            Deadline share = deadline.share(all.size() - answers.size());
            try {
                answers.addAll(standbys.ask(connections, share, calls.apply(List.of(each))));
            } catch (SQLException e) {
                if (!Failures.isBlockedRow(e)) {
                    throw e;
                }
                answers.add(new Answer.Unavailable(e));
            }
        }
        return answers;
    }
}
