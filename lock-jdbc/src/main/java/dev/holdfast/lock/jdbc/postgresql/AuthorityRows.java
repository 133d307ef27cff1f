package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads the results of the functions about the authority state. */
final class AuthorityRows {

    private AuthorityRows() {}

    /** The authority state and its members; empty if there is none. */
    static Optional<AuthorityReading> reading(ResultSet row) throws SQLException {
        if (!row.next()) {
            return Optional.empty();
        }
        AuthorityState state = new AuthorityState(
                row.getLong("epoch"),
                phase(row.getString("phase")),
                row.getString("replication_id"),
                micros(row, "authority_lease"),
                row.getLong("token_base"),
                row.getInt("failure_count"),
                row.getString("cause"),
                row.getObject("changed_at", OffsetDateTime.class).toInstant());
        return Optional.of(new AuthorityReading(state, row.getInt("members"), row.getInt("suspecting")));
    }

    private static FailoverPhase phase(String name) throws SQLException {
        return switch (name) {
            case "PRIMARY" -> FailoverPhase.PRIMARY;
            case "DRAINING" -> FailoverPhase.DRAINING;
            case "FALLBACK" -> FailoverPhase.FALLBACK;
            case "FAILING_BACK" -> FailoverPhase.FAILING_BACK;
            default -> throw new SQLException("unknown phase '" + name + "' in holdfast_authority_state");
        };
    }

    /**
     * A page of leases.
     *
     * @throws StaleTermException if the authority state is another one
     */
    static List<TransferredLease> leases(ResultSet row) throws SQLException {
        List<TransferredLease> page = new ArrayList<>();
        while (row.next()) {
            String staleCause = row.getString("stale_cause");
            if (staleCause != null) {
                throw new StaleTermException(staleCause);
            }
            page.add(new TransferredLease(
                    new LockName(row.getString("lease_name")),
                    Uuids.id(row.getObject("lease_id", UUID.class)),
                    row.getLong("lease_token"),
                    micros(row, "lease_age"),
                    micros(row, "lease_remaining"),
                    row.getBoolean("is_minimum_hold"),
                    row.getString("lease_owner"),
                    new Share(row.getInt("lease_permits"), row.getInt("lease_limit"))));
        }
        return page;
    }

    static boolean bool(ResultSet row) throws SQLException {
        row.next();
        return row.getBoolean(1);
    }

    static long number(ResultSet row) throws SQLException {
        row.next();
        return row.getLong(1);
    }

    static String text(ResultSet row) throws SQLException {
        row.next();
        return row.getString(1);
    }

    private static Duration micros(ResultSet row, String column) throws SQLException {
        return Duration.of(row.getLong(column), ChronoUnit.MICROS);
    }
}
