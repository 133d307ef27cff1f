package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.spi.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** The calls of a store, until it is closed. Thread-safe. */
final class Calls {

    private final JdbcUrl url;
    private final AtomicBoolean closed = new AtomicBoolean();

    Calls(JdbcUrl url) {
        this.url = url;
    }

    /**
     * Asks the database.
     *
     * @throws LockUnavailableException if it did not answer
     * @throws IllegalStateException if the store is closed
     */
    <T> T ask(Duration timeout, Question<T> question) {
        if (closed.get()) {
            throw new IllegalStateException("this store is closed");
        }
        try {
            return question.ask(Deadline.in(timeout));
        } catch (SQLException e) {
            throw new LockUnavailableException(
                    "no answer from " + url + " within " + timeout + " or before a failure: "
                            + url.maskIn(String.valueOf(e.getMessage())),
                    Failures.withoutSecrets(url, e));
        }
    }

    @FunctionalInterface
    interface Question<T> {
        T ask(Deadline deadline) throws SQLException;
    }

    /** From now on nothing is asked; whether this was the first time. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }
}
