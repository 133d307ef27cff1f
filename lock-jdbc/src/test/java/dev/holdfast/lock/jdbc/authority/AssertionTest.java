package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static dev.holdfast.lock.jdbc.authority.Authority.assertStale;
import static dev.holdfast.lock.jdbc.authority.Authority.carried;
import static dev.holdfast.lock.jdbc.authority.Authority.kept;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.InTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases that are asserted in DRAINING. */
@Tag("first-build")
class AssertionTest extends AssertedLeases {

    @Test
    void assertion_keepsTokenAndRemainingTime() {
        long epoch = authority.drain().epoch();
        LockReply.Granted granted = asserted(epoch, carried("a", holder, 77));
        assertThat(granted.token()).isEqualTo(77);
        assertThat(granted.remaining()).isEqualTo(LEASE);
        LockInfo.Holder held = lock("a").holder().orElseThrow();
        assertThat(held.id()).isEqualTo(holder);
        assertThat(held.owner()).isEqualTo("a holder");
        assertThat(held.token()).isEqualTo(77);
        assertThat(Duration.between(held.since(), held.until())).isEqualTo(LEASE.plusSeconds(5));

        assertThat(authority.ask(epoch, renew("a", holder, LEASE.multipliedBy(2))))
                .isInstanceOf(LockReply.Granted.class);
        authority.pass(new Transition.ActivateFallback(epoch));
        assertThat(authority.ask(epoch, acquire("a", id()))).isInstanceOf(LockReply.Busy.class);
        assertThat(authority.ask(epoch, release("a", holder))).isEqualTo(new LockReply.Released(true));
        assertThat(authority.granted(epoch, acquire("a", id())).token())
                .isGreaterThan(authority.state().tokenBase());
    }

    @Test
    void assertion_whenRepeated_standsAsItIsOrLonger() {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        authority.ask(epoch, renew("a", holder, LEASE.multipliedBy(3)));
        LockReply.Granted again = asserted(epoch, carried("a", holder, 77));
        assertThat(again.token()).isEqualTo(77);
        assertThat(again.remaining()).as("never shortened").isGreaterThan(LEASE.multipliedBy(2));
        TransferredLease longer = carried("a", holder, 77, LEASE.multipliedBy(9));
        assertThat(asserted(epoch, longer).remaining()).isEqualTo(LEASE.multipliedBy(9));
    }

    @Test
    void assertion_whenAnotherHoldsTheLock_isGone() {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        gone(epoch, carried("a", id(), 76));
        asserted(epoch, kept("b", holder, 78));
        gone(epoch, carried("b", id(), 77));
        gone(epoch, kept("b", id(), 77));
    }

    @Test
    void assertion_afterRelease_isGone() {
        long epoch = authority.drain().epoch();
        // Released before it was asserted, as the assertion was on its way.
        authority.ask(epoch, release("late", holder, Duration.ZERO, Duration.ofMinutes(1)));
        gone(epoch, carried("late", holder, 77));
        asserted(epoch, carried("late", id(), 78)); // another's is

        // Its minimum hold does not give it back.
        authority.ask(epoch, release("rest", holder, Duration.ZERO, Duration.ofMinutes(1)));
        gone(epoch, carried("rest", holder, 77));
        asserted(epoch, kept("rest", holder, 77));
        assertThat(lock("rest").holder()).isEmpty();
        assertThat(lock("rest").minimumHoldUntil()).isPresent();
        gone(epoch, carried("rest", holder, 77));

        // Asserted, released, and asserted once more.
        asserted(epoch, carried("again", holder, 77));
        authority.ask(epoch, release("again", holder));
        gone(epoch, carried("again", holder, 77));

        // With a minimum hold: it is kept, and not held again.
        asserted(epoch, carried("kept", holder, 77));
        authority.ask(epoch, release("kept", holder, Duration.ofHours(1), Duration.ZERO));
        gone(epoch, carried("kept", holder, 77));
        asserted(epoch, kept("kept", holder, 77));
        assertThat(authority.ask(epoch, renew("kept", holder, LEASE))).isInstanceOf(LockReply.Gone.class);
    }

    @Test
    void assertion_afterExpiry_isGoneAndTheLockIsFree() throws SQLException {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        database.execute("UPDATE holdfast_lock SET expires_at = now() - interval '1 second'");
        gone(epoch, carried("a", holder, 77));
        assertThat(asserted(epoch, carried("a", id(), 78)).token()).isEqualTo(78);
    }

    @Test
    void assertion_outsideDrainingOfTheEpoch_isStale() {
        List<TransferredLease> grants = List.of(carried("a", holder, 77), carried("b", holder, 78));
        assertAllStale(1, grants, "FALLBACK of epoch 1");
        long epoch = authority.drain().epoch();
        assertAllStale(epoch - 1, grants, "DRAINING of epoch " + epoch);
        assertAllStale(epoch + 1, grants, "DRAINING of epoch " + epoch);
        authority.pass(new Transition.ActivateFallback(epoch));
        assertAllStale(epoch, grants, "FALLBACK of epoch " + epoch);
        authority.pass(new Transition.BeginFailback(epoch, Authority.REPLICATION_ID));
        assertAllStale(epoch, grants, "FAILING_BACK of epoch ");
        authority.pass(new Transition.ActivatePrimary(epoch + 1));
        assertAllStale(epoch + 1, grants, "PRIMARY of epoch ");
        try (Stream<LockInfo> locks = authority.store().list("", CALL)) {
            assertThat(locks).isEmpty();
        }
    }

    private void assertAllStale(long epoch, List<TransferredLease> grants, String evidence) {
        assertThat(authority.store().assertLeases(epoch, grants, CALL))
                .hasSize(grants.size())
                .allSatisfy(reply -> assertStale(reply, evidence));
    }

    @Test
    void assertions_whenOneRowIsLocked_executeTheOthers() throws Exception {
        Duration call = Duration.ofSeconds(12);
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("taken", id(), 5));
        asserted(epoch, carried("blocked", holder, 6));
        List<TransferredLease> grants = List.of(
                carried("z", holder, 1),
                carried("blocked", holder, 6),
                carried("taken", holder, 2),
                carried("a", holder, 3));
        try (Connection stranger = database.connect()) {
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'blocked' FOR UPDATE");
            List<LockReply> replies = InTime.check(call, () -> {
                List<LockReply> all = authority.store().assertLeases(epoch, grants, call);
                assertThat(all.get(0)).isEqualTo(new LockReply.Granted(1, LEASE));
                assertThat(all.get(2)).isEqualTo(new LockReply.Gone());
                assertThat(all.get(3)).isEqualTo(new LockReply.Granted(3, LEASE));
                return all;
            });
            assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
            stranger.rollback();
        }
        assertThat(authority.store().assertLeases(epoch, List.of(), CALL)).isEmpty();
    }

    @Test
    void assertions_whileAnotherTransactionCreatesARow_holdNoOther() throws Exception {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 1));
        List<TransferredLease> grants = List.of(carried("a", holder, 1), carried("b", holder, 2));
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection stranger = database.connect()) {
            stranger.setAutoCommit(false);
            stranger.createStatement()
                    .execute("INSERT INTO holdfast_lock"
                            + " VALUES ('app', 'b', 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free', 0)");
            Future<List<LockReply>> replies =
                    thread.submit(() -> authority.store().assertLeases(epoch, grants, CALL));
            Await.until(
                    "the assertions wait for the row",
                    () -> database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND wait_event_type = 'Lock' AND state = 'active'")
                            .equals("1"));
            assertThat(database.value("SELECT name FROM holdfast_lock FOR UPDATE SKIP LOCKED"))
                    .isEqualTo("a");
            stranger.commit();
            assertThat(Await.result(replies))
                    .extracting(each -> ((LockReply.Granted) each).token())
                    .containsExactly(1L, 2L);
        } finally {
            thread.shutdownNow();
        }
    }
}
