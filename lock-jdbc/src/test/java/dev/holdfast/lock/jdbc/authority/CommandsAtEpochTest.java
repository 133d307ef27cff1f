package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static dev.holdfast.lock.jdbc.authority.Authority.REPLICATION_ID;
import static dev.holdfast.lock.jdbc.authority.Authority.assertStale;
import static dev.holdfast.lock.jdbc.authority.Authority.carried;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which commands the authority state allows. */
@Tag("first-build")
class CommandsAtEpochTest {

    private final Postgres database = Postgres.withTables();

    @Test
    void commands_inFallbackOfTheEpoch_areExecuted() {
        try (Authority authority = Authority.founded(database)) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            List<LockReply> replies = authority
                    .store()
                    .execute(
                            1,
                            List.of(
                                    acquire("z", holder),
                                    queue("z", waiter),
                                    renew("z", holder, LEASE.multipliedBy(2)),
                                    acquire("a", id()),
                                    release("z", holder)),
                            CALL);
            assertThat(replies)
                    .extracting(reply -> reply.getClass().getSimpleName())
                    .containsExactly("Granted", "Queued", "Granted", "Granted", "Released");
            assertThat(authority.granted(1, queue("z", waiter)).token())
                    .isGreaterThan(((LockReply.Granted) replies.get(0)).token());
            assertAllStale(authority, 2, waiter, "FALLBACK of epoch 1 since ");
            assertThat(authority.ask(1, renew("z", waiter, LEASE))).isInstanceOf(LockReply.Granted.class);
        }
    }

    @Test
    void sharesOfABatch_inFallbackOfTheEpoch_areGrantedAboveTheTokenBase() {
        try (Authority authority = Authority.founded(database)) {
            LockName name = new LockName("a");
            List<LockReply> replies = authority
                    .store()
                    .execute(
                            1,
                            List.of(
                                    new LockCommand.Acquire(name, id(), LEASE, false, 0, "a test", new Share(2, 3)),
                                    acquire("a", id()),
                                    new LockCommand.Acquire(name, id(), LEASE, false, 0, "a test", new Share(1, 3)),
                                    new LockCommand.Acquire(name, id(), LEASE, false, 0, "a test", new Share(1, 3))),
                            CALL);
            assertThat(replies)
                    .extracting(reply -> reply.getClass().getSimpleName())
                    .containsExactly("Granted", "Busy", "Granted", "Busy");
            assertThat(((LockReply.Granted) replies.get(0)).token())
                    .isGreaterThan(authority.state().tokenBase())
                    .isLessThan(((LockReply.Granted) replies.get(2)).token());
        }
    }

    @Test
    void commands_inDraining_renewAndReleaseButDoNotAcquire() {
        try (Authority authority = Authority.founded(database)) {
            long epoch = authority.drain().epoch();
            AcquisitionId holder = id();
            assertThat(authority.assertOne(epoch, carried("held", holder, 7))).isInstanceOf(LockReply.Granted.class);
            List<LockReply> replies = authority
                    .store()
                    .execute(
                            epoch,
                            List.of(
                                    acquire("free", id()),
                                    renew("held", holder, LEASE.multipliedBy(2)),
                                    acquire("held", holder),
                                    release("held", holder)),
                            CALL);
            assertStale(replies.get(0), "the authority state is DRAINING of epoch " + epoch + " since ");
            assertThat(replies.get(1)).isInstanceOf(LockReply.Granted.class);
            assertStale(replies.get(2), "a test");
            assertThat(replies.get(3)).isEqualTo(new LockReply.Released(true));
            assertAllStale(authority, epoch - 1, holder, "DRAINING of epoch " + epoch);
        }
    }

    @Test
    void commands_inFailingBackAndPrimary_areStale() {
        try (Authority authority = Authority.founded(database)) {
            AcquisitionId holder = id();
            authority.granted(1, acquire("a", holder));
            AuthorityState prepare = authority.pass(new Transition.BeginFailback(1, REPLICATION_ID));
            for (long epoch = 1; epoch <= 3; epoch++) {
                assertAllStale(authority, epoch, holder, "FAILING_BACK of epoch " + prepare.epoch());
            }
            try (Stream<LockInfo> locks = authority.store().list("", CALL)) {
                assertThat(locks.map(LockInfo::holder))
                        .singleElement()
                        .satisfies(held -> assertThat(held.orElseThrow().id()).isEqualTo(holder));
            }
            authority.pass(new Transition.ActivatePrimary(prepare.epoch()));
            assertAllStale(authority, prepare.epoch(), holder, "PRIMARY of epoch " + prepare.epoch());
            try (Stream<LockInfo> locks = authority.store().list("", CALL)) {
                assertThat(locks).as("what was copied").isEmpty();
            }
        }
    }

    private static void assertAllStale(Authority authority, long epoch, AcquisitionId holder, String evidence) {
        List<LockCommand> commands = List.of(
                renew("a", holder, LEASE),
                acquire("b", id()),
                release("a", holder, LEASE, LEASE),
                queue("a", id()),
                new LockCommand.Acquire(new LockName("b"), id(), LEASE, true, 0, "a test", Share.shared()));
        assertThat(authority.store().execute(epoch, commands, CALL))
                .hasSize(commands.size())
                .allSatisfy(reply -> assertStale(reply, evidence));
    }

    @Test
    void batch_atEpoch_takesOneRoundTrip() {
        try (PostgresProxy proxy = new PostgresProxy(database.server());
                Authority authority = Authority.founded(
                        database, "lock.jdbc.url", proxy.url(database.url()), "lock.jdbc.pool-size", "1")) {
            AcquisitionId warm = id();
            authority.granted(1, acquire("warm", warm));
            authority.ask(1, release("warm", warm)); // has rows pruned, once
            database.awaitPruned();
            authority.granted(1, acquire("warm", id()));
            int before = proxy.questions();
            for (int pair = 0; pair < 20; pair++) {
                AcquisitionId id = id();
                authority.store().execute(1, List.of(acquire("a", id), acquire("b", id)), CALL);
                authority.store().execute(1, List.of(release("a", id), release("b", id)), CALL);
            }
            assertThat(proxy.questions() - before).isEqualTo(40);
        }
    }

    @Test
    void readState_whenCommandsUseEveryConnection_doesNotWait() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (Authority authority = Authority.founded(
                        database, "lock.jdbc.pool-size", "1", "lock.call-timeout", "1m", "lock.lease", "1h");
                Connection stranger = database.connect()) {
            authority.granted(1, acquire("blocked", id()));
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'blocked' FOR UPDATE");
            Future<List<LockReply>> blocked = executor.submit(
                    () -> authority.store().execute(1, List.of(acquire("blocked", id())), Duration.ofMinutes(1)));
            Await.until(
                    "the command waits for the row",
                    () -> database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND wait_event_type = 'Lock'")
                            .equals("1"));
            AcquisitionId member = id();
            assertThat(authority.read(member, 0).members()).isEqualTo(1);
            assertThat(authority.state().epoch()).isEqualTo(1);
            authority.store().leave(member, CALL);
            assertThat(blocked).isNotDone();
            stranger.rollback();
            assertThat(blocked.get(60, TimeUnit.SECONDS)).singleElement().isInstanceOf(LockReply.Busy.class);
        } finally {
            executor.shutdownNow();
        }
    }

    /** A release that a crash forgets must not let its id be asserted afterwards. */
    @Test
    void release_inDraining_isCommittedDurably() throws SQLException {
        try (Authority authority = Authority.founded(database)) {
            AcquisitionId id = id();
            authority.granted(1, acquire("a", id));
            assertThat(commitMode(1, id)).isEqualTo("off");
            long epoch = authority.drain().epoch();
            authority.assertOne(epoch, carried("a", id, 7));
            assertThat(commitMode(epoch, id)).isEqualTo("on");
        }
    }

    private String commitMode(long epoch, AcquisitionId id) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET synchronous_commit = off");
            statement.execute("SELECT FROM holdfast_execute_at_epoch('app', 'channel', 1000, '{release}', '{a}', '{"
                    + new UUID(id.high(), id.low()) + "}', '{0}', '{false}', '{0}', '{\"\"}', '{1000000}', 0, " + epoch
                    + ")");
            try (var mode = statement.executeQuery("SHOW synchronous_commit")) {
                mode.next();
                return mode.getString(1);
            } finally {
                connection.rollback();
            }
        }
    }
}
