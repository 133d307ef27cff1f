package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.database.BatchRetry;
import dev.holdfast.lock.jdbc.database.LockRange;
import dev.holdfast.lock.jdbc.database.Pruner;
import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.StoreErrors;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.Membership;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationHub;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The authority state of a namespace, and the commands under it, each as one call of one function. Thread-safe. */
final class PostgreSqlAuthorityStore implements AuthorityStore {

    /** The only bucket so far. */
    static final int BUCKET = 0;

    private final JdbcUrl url;
    private final Connections forState;
    private final Connections forLocks;
    private final Namespace namespace;
    private final String schema;
    private final StandbyGuard standbys;
    private final NotificationQueue queue;
    private final Pruner pruner;
    private final NotificationHub subscribers;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /**
     * @param forState connections for the authority state, so that it never waits until commands give a connection back; closed
     *     with the store
     * @param forLocks connections for everything else; closed with the store
     * @param schema of the tables and functions, quoted where necessary
     */
    PostgreSqlAuthorityStore(
            JdbcUrl url,
            Connections forState,
            Connections forLocks,
            Namespace namespace,
            String schema,
            StandbyGuard standbys,
            NotificationQueue queue,
            Pruner pruner) {
        this.url = url;
        this.forState = forState;
        this.forLocks = forLocks;
        this.namespace = namespace;
        this.schema = schema;
        this.standbys = standbys;
        this.queue = queue;
        this.pruner = pruner;
        this.subscribers = new NotificationHub(() -> new PostgreSqlListener(forLocks, namespace));
    }

    @Override
    public AuthorityState initialize(Duration lease, long base, Duration timeout) {
        Deadline deadline = Deadline.in(timeout);
        boolean isInitialized = write(
                forState,
                timeout,
                "holdfast_initialize_authority_state",
                AuthorityRows::bool,
                result -> false,
                SqlValues.micros(lease),
                base);
        if (!isInitialized) {
            throw new LockConfigurationException("locks of the namespace " + namespace
                    + " are held, in a minimum hold or waited for in this database by processes with lock.provider=jdbc:"
                    + " a composite can begin once they are released, or with another lock.namespace");
        }
        return peek(Duration.ofMillis(Math.max(1, deadline.millisLeft())))
                .map(AuthorityReading::state)
                .orElseThrow(this::noState);
    }

    @Override
    public Optional<AuthorityReading> peek(Duration timeout) {
        return read(forState, timeout, "holdfast_read_authority_state", AuthorityRows::reading);
    }

    @Override
    public AuthorityReading read(Membership member, Duration timeout) {
        Optional<AuthorityReading> reading = write(
                forState,
                timeout,
                "holdfast_refresh_member",
                AuthorityRows::reading,
                result -> true,
                Uuids.of(member.id()),
                SqlValues.text(member.owner()),
                member.suspectedEpoch());
        return reading.orElseThrow(this::noState);
    }

    private LockConfigurationException noState() {
        return new LockConfigurationException(
                "the authority state of the namespace " + namespace + " has been removed from the database");
    }

    @Override
    public void leave(AcquisitionId member, Duration timeout) {
        String sql = "DELETE FROM " + schema + ".holdfast_member WHERE namespace = ?::pg_catalog.text"
                + " AND bucket = ?::pg_catalog.int4 AND id = ?::pg_catalog.uuid";
        call(forState, timeout, new PostgreSqlCall<Integer>(forState, Deadline.in(timeout), standbys) {
            @Override
            Integer execute(Connection connection, int millisLeft) throws SQLException {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setString(1, namespace.value());
                    statement.setInt(2, BUCKET);
                    statement.setObject(3, Uuids.of(member));
                    return statement.executeUpdate();
                }
            }
        });
    }

    @Override
    public boolean transition(Transition transition, Duration timeout) {
        String outcome = call(
                forState,
                timeout,
                new TransitionCall(forState, Deadline.in(timeout), standbys, queue, schema, namespace, transition));
        if (outcome.equals(TransitionCall.EXHAUSTED)) {
            throw new LockUnavailableException(
                    "too few tokens are left for a primary, as tokens end at 2^53 - 1: the database goes on granting",
                    null);
        }
        return outcome.equals(TransitionCall.CHANGED);
    }

    @Override
    public List<LockReply> execute(long epoch, List<LockCommand> commands, Duration timeout) {
        List<LockReply> replies = callBatch(
                commands,
                timeout,
                (batch, deadline) ->
                        PostgreSqlBatch.atEpoch(forLocks, deadline, standbys, queue, schema, namespace, epoch, batch));
        pruner.pruneAfter(commands, forLocks);
        return replies;
    }

    @Override
    public List<LockReply> assertLeases(long epoch, List<TransferredLease> leases, Duration timeout) {
        return callBatch(leases, timeout, (batch, deadline) -> assertion(epoch, batch, deadline));
    }

    private PostgreSqlCall<List<LockReply>> assertion(long epoch, List<TransferredLease> leases, Deadline deadline) {
        List<LockName> names = leases.stream().map(TransferredLease::name).toList();
        return writeCall(
                forLocks,
                deadline,
                leases.size(),
                "holdfast_assert_leases",
                rows -> ReplyRows.read(rows, names, notification -> {}),
                ReplyRows::areConfirmed,
                epoch,
                names.stream().map(LockName::value).toArray(String[]::new),
                leases.stream().map(each -> Uuids.of(each.id())).toArray(UUID[]::new),
                leases.stream().map(TransferredLease::token).toArray(Long[]::new),
                leases.stream().map(each -> SqlValues.micros(each.age())).toArray(Long[]::new),
                leases.stream().map(each -> SqlValues.micros(each.remaining())).toArray(Long[]::new),
                leases.stream().map(TransferredLease::minimumHoldOnly).toArray(Boolean[]::new),
                leases.stream().map(each -> SqlValues.text(each.owner())).toArray(String[]::new),
                leases.stream().map(each -> each.share().permits()).toArray(Integer[]::new),
                leases.stream().map(each -> each.share().limit()).toArray(Integer[]::new));
    }

    @Override
    public List<TransferredLease> leases(long epoch, Optional<LockName> after, int limit, Duration timeout) {
        String afterName = after.map(LockName::value).orElse("");
        return write(
                forLocks,
                timeout,
                "holdfast_list_leases",
                AuthorityRows::leases,
                page -> false,
                epoch,
                afterName,
                limit);
    }

    @Override
    public long highestToken(Duration timeout) {
        return read(forLocks, timeout, "holdfast_highest_token", AuthorityRows::number);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> subscriber) {
        return subscribers.subscribe(subscriber);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        return LockRange.pages(
                prefix,
                range -> call(
                        forLocks,
                        timeout,
                        new PostgreSqlLockListing(forLocks, Deadline.in(timeout), schema, namespace, range)));
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        return call(forLocks, timeout, new PostgreSqlDiagnostics(forLocks, Deadline.in(timeout), schema, url, true));
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            subscribers.close();
            pruner.close();
            forState.close();
            forLocks.close();
        }
    }

    private void ensureOpen() {
        if (isClosed.get()) {
            throw new IllegalStateException("this store is closed");
        }
    }

    private <T> T call(Connections connections, Duration timeout, PostgreSqlCall<T> call) {
        ensureOpen();
        try {
            return connections.with(call.deadline(), call);
        } catch (SQLException e) {
            throw StoreErrors.unavailable(url, e, timeout);
        }
    }

    private <T> List<LockReply> callBatch(List<T> batch, Duration timeout, BatchRetry.CallFactory<T> calls) {
        ensureOpen();
        Deadline deadline = Deadline.in(timeout);
        try {
            try {
                return forLocks.with(deadline, calls.call(batch, deadline));
            } catch (SQLException e) {
                return BatchRetry.retry(e, batch, deadline, forLocks, calls);
            }
        } catch (SQLException e) {
            throw StoreErrors.unavailable(url, e, timeout);
        }
    }

    private <T> T read(Connections connections, Duration timeout, String function, FunctionCall.RowReader<T> reader) {
        return call(
                connections,
                timeout,
                new FunctionCall<>(
                        connections, Deadline.in(timeout), null, schema, function, reader, namespace.value(), BUCKET));
    }

    private <T> T write(
            Connections connections,
            Duration timeout,
            String function,
            FunctionCall.RowReader<T> reader,
            Predicate<T> isConfirmed,
            Object... more) {
        return call(
                connections,
                timeout,
                writeCall(connections, Deadline.in(timeout), 1, function, reader, isConfirmed, more));
    }

    /**
     * @param isConfirmed whether the server sends a result only once synchronous standbys have confirmed the commit
     * @param more the parameters after namespace, bucket and lock timeout
     */
    private <T> FunctionCall<T> writeCall(
            Connections connections,
            Deadline deadline,
            int batchSize,
            String function,
            FunctionCall.RowReader<T> reader,
            Predicate<T> isConfirmed,
            Object... more) {
        List<Object> parameters =
                new ArrayList<>(List.of(namespace.value(), BUCKET, new BatchRetry.LockTimeout(batchSize)));
        parameters.addAll(Arrays.asList(more));
        return new FunctionCall<>(connections, deadline, standbys, schema, function, reader, parameters.toArray()) {
            @Override
            boolean isConfirmed(T result) {
                return isConfirmed.test(result);
            }
        };
    }
}
