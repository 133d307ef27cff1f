package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.PostgresClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.testing.ListedLock;
import dev.holdfast.lock.testing.RandomHistory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The functions of PostgreSQL for a {@link RandomHistory}, in a namespace of their own, with a clock that is stepped. */
final class PostgresHistory implements RandomHistory.Subject {

    private static final String LIST = """
            WITH l AS (
                SELECT *, state <> 'free' AND expires_at > stepped_clock() AS is_busy FROM holdfast_lock
                WHERE namespace = ? AND name = ?
            )
            SELECT state, 0 AS place, id, 1 AS permits, 1 AS permit_limit, expires_at FROM l
            WHERE is_busy AND state <> 'shared'
            UNION ALL
            SELECT s.state, 0, s.id, s.permits, s.permit_limit, s.expires_at FROM l JOIN holdfast_share s USING (namespace, name)
            WHERE is_busy AND l.state = 'shared' AND s.expires_at > stepped_clock()
            UNION ALL
            SELECT 'waiting', w.position, w.id, w.permits, w.permit_limit, NULL FROM l JOIN holdfast_waiter w USING (namespace, name)
            WHERE w.seen_at <= stepped_clock() AND stepped_clock() < w.seen_at + interval '15 seconds'
            ORDER BY place
            """;

    private final Connection connection;
    private final PostgresClock clock;
    private final String namespace;
    private final BatchCalls calls;

    /** @param connection to a database with this clock */
    PostgresHistory(Connection connection, PostgresClock clock, String namespace) throws SQLException {
        this.connection = connection;
        this.clock = clock;
        this.namespace = namespace;
        calls = new BatchCalls(connection, namespace);
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands) {
        try {
            List<LockReply> replies = new ArrayList<>();
            List<BatchCalls.Reply> all = calls.execute(commands);
            for (BatchCalls.Reply each : all) {
                replies.add(reply(each));
            }
            return replies;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static LockReply reply(BatchCalls.Reply reply) {
        long number = reply.number() == null ? 0 : reply.number();
        Duration time = Duration.of(reply.micros() == null ? 0 : reply.micros(), ChronoUnit.MICROS);
        return switch (reply.reply()) {
            case "granted" -> new LockReply.Granted(number, time);
            case "queued" -> new LockReply.Queued(QueueTimes.retryAfter(time, (int) number));
            case "busy" -> new LockReply.Busy(Duration.ZERO);
            case "gone" -> new LockReply.Gone();
            case "released", "absent" -> new LockReply.Released(reply.reply().equals("released"));
            default -> new LockReply.Unavailable(new IllegalStateException(reply.toString()));
        };
    }

    @Override
    public void pass(Duration time) {
        clock.step(time);
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public Optional<ListedLock> listed(LockName name) {
        Set<String> holders = new HashSet<>();
        Optional<Instant> keptUntil = Optional.empty();
        List<AcquisitionId> waiters = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(LIST)) {
            query.setString(1, namespace);
            query.setString(2, name.value());
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    UUID uuid = rows.getObject("id", UUID.class);
                    AcquisitionId id = new AcquisitionId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
                    if (rows.getString("state").equals("waiting")) {
                        waiters.add(id);
                        continue;
                    }
                    Share share = new Share(rows.getInt("permits"), rows.getInt("permit_limit"));
                    Instant end =
                            rows.getObject("expires_at", OffsetDateTime.class).toInstant();
                    if (rows.getString("state").equals("held")) {
                        holders.add(ListedLock.holder(id, share, end));
                    } else if (keptUntil.filter(end::isBefore).isEmpty()) {
                        keptUntil = Optional.of(end);
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        ListedLock listed = new ListedLock(holders, keptUntil, waiters);
        return listed.equals(ListedLock.NONE) ? Optional.empty() : Optional.of(listed);
    }

    @Override
    public Optional<Set<Notification>> notified() {
        return Optional.of(calls.notifications().stream()
                .map(each -> {
                    UUID id = UUID.fromString(each.substring(0, 36));
                    return Notification.of(
                            new LockName(each.substring(37)),
                            new AcquisitionId(id.getMostSignificantBits(), id.getLeastSignificantBits()));
                })
                .collect(Collectors.toSet()));
    }

    /** What nothing needs is pruned at once. */
    @Override
    public void prune() {
        try (Statement statement = connection.createStatement()) {
            statement.execute("UPDATE holdfast_token_floor SET prune_page = 0, prune_at = '-infinity';"
                    + " SELECT holdfast_prune(60000000, 0, 1000)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
