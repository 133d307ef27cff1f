package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.BatchRetry;
import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes the authority state, and then notifies every waiter. */
final class TransitionCall extends FunctionCall<String> {

    static final String CHANGED = "changed";
    static final String EXHAUSTED = "exhausted";

    private final NotificationQueue queue;
    private final Namespace namespace;
    private boolean mayBeChanged;

    TransitionCall(
            Connections connections,
            Deadline deadline,
            StandbyGuard standbys,
            NotificationQueue queue,
            String schema,
            Namespace namespace,
            Transition transition) {
        super(
                connections,
                deadline,
                standbys,
                schema,
                "holdfast_change_authority_state",
                AuthorityRows::text,
                namespace.value(),
                PostgreSqlAuthorityStore.BUCKET,
                new BatchRetry.LockTimeout(1),
                name(transition),
                transition.epoch(),
                transition instanceof Transition.BeginFailback begin ? begin.replicationId() : null,
                cause(transition));
        this.queue = queue;
        this.namespace = namespace;
    }

    private static String name(Transition transition) {
        if (transition instanceof Transition.DrainPrimary) {
            return "drain_primary";
        } else if (transition instanceof Transition.ActivateFallback) {
            return "activate_fallback";
        } else if (transition instanceof Transition.BeginFailback) {
            return "begin_failback";
        }
        return transition instanceof Transition.ActivatePrimary ? "activate_primary" : "abort_failback";
    }

    /** The cause, for people; null keeps the previous one. */
    private static @Nullable String cause(Transition transition) {
        if (transition instanceof Transition.DrainPrimary drain) {
            return SqlValues.text(drain.cause());
        } else if (transition instanceof Transition.BeginFailback) {
            return "the primary is healthy again";
        }
        return transition instanceof Transition.AbortFailback abort ? SqlValues.text(abort.cause()) : null;
    }

    @Override
    String execute(Connection connection, int millisLeft) throws SQLException {
        mayBeChanged = true; // without a result if the commit is not confirmed
        String outcome = super.execute(connection, millisLeft);
        mayBeChanged = outcome.equals(CHANGED);
        return outcome;
    }

    @Override
    void afterCommit(Connection connection, Deadline callDeadline) {
        if (mayBeChanged) {
            NotificationChannel.send(
                    connection, namespace, List.of(NotificationChannel.AUTHORITY_STATE), queue, callDeadline);
        }
    }

    @Override
    boolean isConfirmed(String outcome) {
        return outcome.equals(CHANGED);
    }
}
