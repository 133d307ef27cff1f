package dev.holdfast.lock.jdbc.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what a test needs, and gives up only when something must have gone wrong. */
public final class Awaiting {

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private Awaiting() {}

    /** Waits until it is so. */
    public static void until(String what, Callable<Boolean> condition) {
        long start = System.nanoTime();
        while (!isSo(condition)) {
            if (System.nanoTime() - start > LIMIT_NANOS) {
                throw new AssertionError("not within a minute: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** Waits until the server lets somebody in. */
    static void answer(PostgresServer server) {
        until("the server answers", () -> {
            try (Connection connection = server.connect(server.url("postgres"))) {
                return connection.isValid(5);
            } catch (SQLException e) {
                return false;
            }
        });
    }

    private static boolean isSo(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
