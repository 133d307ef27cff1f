package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shares that are asserted in DRAINING. */
@Tag("first-build")
class ShareAssertionTest extends AssertedLeases {

    private static final LockName A = new LockName("a");
    private static final Share READER = Share.shared();
    private static final Share ONE_OF_TWO = new Share(1, 2);

    private final long epoch = authority.drain().epoch();

    private static TransferredLease held(AcquisitionId id, long token, Share share) {
        return new TransferredLease(A, id, token, Duration.ofSeconds(5), LEASE, false, "a holder", share);
    }

    private static TransferredLease kept(AcquisitionId id, long token, Share share) {
        return new TransferredLease(A, id, token, Duration.ofSeconds(5), LEASE, true, "a holder", share);
    }

    private static LockCommand.Acquire acquiring(Share share) {
        return new LockCommand.Acquire(A, id(), LEASE, false, 0, "a test", share);
    }

    private void expire(long token) throws SQLException {
        database.execute("UPDATE holdfast_share SET expires_at = now() - interval '1 second' WHERE token = " + token);
    }

    @Test
    void readers_whenAsserted_standBesideEachOther() {
        AcquisitionId second = id();
        assertThat(authority
                        .store()
                        .assertLeases(
                                epoch,
                                List.of(
                                        held(holder, 78, READER),
                                        held(second, 77, READER),
                                        held(id(), 76, Share.EXCLUSIVE)),
                                CALL))
                .containsExactly(
                        new LockReply.Granted(78, LEASE), new LockReply.Granted(77, LEASE), new LockReply.Gone());

        LockInfo shown = lock("a");
        assertThat(shown.holders())
                .extracting(LockInfo.Holder::id, LockInfo.Holder::token, LockInfo.Holder::share, LockInfo.Holder::owner)
                .containsExactly(tuple(second, 77L, READER, "a holder"), tuple(holder, 78L, READER, "a holder"));
        assertThat(Duration.between(
                        shown.holders().get(0).since(), shown.holders().get(0).until()))
                .isEqualTo(LEASE.plusSeconds(5));

        authority.pass(new Transition.ActivateFallback(epoch));
        assertThat(authority.ask(epoch, acquire("a", id()))).isInstanceOf(LockReply.Busy.class);
        assertThat(authority.granted(epoch, acquiring(READER)).token())
                .isGreaterThan(authority.state().tokenBase());
    }

    @Test
    void permits_whenAsserted_areCountedByTheLeastLimit() {
        asserted(epoch, held(holder, 77, new Share(2, 4)));
        gone(epoch, held(id(), 78, new Share(1, 2)));
        gone(epoch, held(id(), 79, new Share(3, 4)));
        asserted(epoch, held(id(), 80, new Share(1, 3)));
        gone(epoch, held(id(), 81, new Share(1, 4)));

        authority.pass(new Transition.ActivateFallback(epoch));
        assertThat(authority.ask(epoch, acquiring(new Share(1, 4)))).isInstanceOf(LockReply.Busy.class);
        authority.ask(epoch, release("a", holder));
        authority.granted(epoch, acquiring(new Share(1, 4)));
    }

    @Test
    void writer_whenAsserted_excludesShares() {
        asserted(epoch, held(holder, 77, Share.EXCLUSIVE));
        gone(epoch, held(id(), 78, READER));
        gone(epoch, held(id(), 76, ONE_OF_TWO));
        assertThat(asserted(epoch, held(holder, 77, Share.EXCLUSIVE)).token()).isEqualTo(77);
        assertThat(lock("a").holder().map(LockInfo.Holder::id)).contains(holder);
    }

    @Test
    void share_whenItsAssertionIsRepeated_isCountedOnce() {
        asserted(epoch, held(holder, 77, ONE_OF_TWO));
        authority.ask(epoch, renew("a", holder, LEASE.multipliedBy(3)));
        assertThat(asserted(epoch, held(holder, 77, ONE_OF_TWO)).remaining())
                .as("never shortened")
                .isGreaterThan(LEASE.multipliedBy(2));
        asserted(epoch, held(id(), 78, ONE_OF_TWO));
        gone(epoch, held(id(), 79, ONE_OF_TWO));
    }

    @Test
    void share_whenItsHolderRenewsOrReleases_leavesTheOthersAsTheyAre() {
        AcquisitionId other = id();
        asserted(epoch, held(holder, 77, READER));
        asserted(epoch, held(other, 78, READER));
        assertThat(authority
                        .granted(epoch, renew("a", holder, LEASE.multipliedBy(9)))
                        .token())
                .isEqualTo(77);
        assertThat(lock("a").holders().get(1).until())
                .isBefore(lock("a").holders().get(0).until().minus(LEASE.multipliedBy(7)));

        assertThat(authority.ask(epoch, release("a", holder, Duration.ZERO, LEASE)))
                .isEqualTo(new LockReply.Released(true));

        gone(epoch, held(holder, 77, READER));
        assertThat(lock("a").holders()).extracting(LockInfo.Holder::id).containsExactly(other);
        authority.granted(epoch, renew("a", other, LEASE));
    }

    @Test
    void share_afterReleaseOrExpiry_isGoneAndItsPermitsAreFree() throws SQLException {
        // Released before it was asserted, as the assertion was on its way.
        authority.ask(epoch, release("a", holder, Duration.ZERO, Duration.ofMinutes(1)));
        gone(epoch, held(holder, 77, ONE_OF_TWO));

        // Asserted, released without a tombstone, and asserted once more.
        AcquisitionId released = id();
        asserted(epoch, held(released, 76, ONE_OF_TWO));
        authority.ask(epoch, release("a", released));
        gone(epoch, held(released, 76, ONE_OF_TWO));

        AcquisitionId expired = id();
        asserted(epoch, held(expired, 78, ONE_OF_TWO));
        asserted(epoch, held(id(), 79, ONE_OF_TWO));
        gone(epoch, held(id(), 80, ONE_OF_TWO));
        expire(78);
        gone(epoch, held(expired, 78, ONE_OF_TWO));
        asserted(epoch, held(id(), 80, ONE_OF_TWO));
        asserted(epoch, kept(expired, 78, ONE_OF_TWO));
        gone(epoch, held(expired, 78, ONE_OF_TWO));
    }

    @Test
    void writer_afterExpiry_makesRoomAndIsGone() throws SQLException {
        asserted(epoch, held(holder, 77, Share.EXCLUSIVE));
        database.execute("UPDATE holdfast_lock SET expires_at = now() - interval '1 second'");
        asserted(epoch, held(id(), 78, READER));
        gone(epoch, held(holder, 77, Share.EXCLUSIVE));

        expire(78);
        gone(epoch, held(holder, 77, Share.EXCLUSIVE));
        AcquisitionId next = id();
        asserted(epoch, held(next, 79, Share.EXCLUSIVE));
        authority.pass(new Transition.ActivateFallback(epoch));
        assertThat(authority.ask(epoch, acquiring(READER))).isInstanceOf(LockReply.Busy.class);
        assertThat(authority.ask(epoch, release("a", next))).isEqualTo(new LockReply.Released(true));
        authority.granted(epoch, acquiring(READER));
    }

    @Test
    void minimumHold_ofAShareThatIsHeld_keepsIt() {
        asserted(epoch, held(holder, 77, ONE_OF_TWO));
        asserted(epoch, kept(holder, 77, ONE_OF_TWO));
        gone(epoch, held(holder, 77, ONE_OF_TWO));
        assertThat(authority.ask(epoch, renew("a", holder, LEASE))).isInstanceOf(LockReply.Gone.class);
        assertThat(lock("a").holders()).isEmpty();
        assertThat(lock("a").minimumHoldUntil()).isPresent();

        authority.pass(new Transition.ActivateFallback(epoch));
        authority.granted(epoch, acquiring(ONE_OF_TWO));
        assertThat(authority.ask(epoch, acquiring(ONE_OF_TWO))).isInstanceOf(LockReply.Busy.class);
    }

    /** Whose process missed an earlier DRAINING may assert a minimum hold that is lost since. */
    @Test
    void minimumHold_thatDoesNotFitBesideALaterLease_givesWay() {
        asserted(epoch, kept(holder, 77, READER));
        asserted(epoch, held(id(), 78, Share.EXCLUSIVE));
        gone(epoch, kept(holder, 77, READER));
        assertThat(lock("a").minimumHoldUntil()).isEmpty();

        asserted(
                epoch,
                new TransferredLease(new LockName("b"), holder, 77, LEASE, LEASE, true, "a holder", Share.EXCLUSIVE));
        asserted(epoch, new TransferredLease(new LockName("b"), id(), 78, LEASE, LEASE, true, "a holder", READER));
        asserted(epoch, new TransferredLease(new LockName("b"), id(), 79, LEASE, LEASE, false, "a holder", READER));
    }

    @Test
    void minimumHold_thatDoesNotFitBesideAnEarlierLease_excludesIt() {
        asserted(epoch, kept(holder, 77, READER));
        gone(epoch, held(id(), 76, Share.EXCLUSIVE));
        gone(epoch, kept(id(), 76, Share.EXCLUSIVE));
        assertThat(lock("a").minimumHoldUntil()).isPresent();
    }

    /** Two hold permits of two; a third had one when it was released, and its process missed the DRAINING before. */
    @Test
    void minimumHolds_thatFitBesideEachLease_keepNoneOutAndStay() {
        AcquisitionId early = id();
        AcquisitionId late = id();
        asserted(epoch, kept(holder, 78, ONE_OF_TWO));
        asserted(epoch, held(late, 79, ONE_OF_TWO));
        asserted(epoch, held(early, 77, ONE_OF_TWO));
        gone(epoch, held(id(), 76, ONE_OF_TWO));

        authority.pass(new Transition.ActivateFallback(epoch));
        authority.ask(epoch, release("a", late));
        assertThat(authority.ask(epoch, acquiring(ONE_OF_TWO)))
                .as("until it ends")
                .isInstanceOf(LockReply.Busy.class);
        authority.ask(epoch, release("a", early));
        authority.granted(epoch, acquiring(ONE_OF_TWO));
        assertThat(authority.ask(epoch, acquiring(ONE_OF_TWO))).isInstanceOf(LockReply.Busy.class);
    }

    @Test
    void share_whileGrantsDrain_isNotAcquired() {
        Authority.assertStale(authority.ask(epoch, acquiring(READER)), "DRAINING of epoch " + epoch);
    }

    /** Readers whose assertion read all that stand already would cost a failover as many seconds as it has thousands of them. */
    @Test
    void readers_whenManyAreAssertedAtOnce_areNotReadAgainForEachOther() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false); // what a transaction has read is counted in it

            assertReaders(statement, 1, 300);
            assertReaders(statement, 301, 600);

            try (ResultSet row = statement.executeQuery(
                    "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'holdfast_share'")) {
                row.next();
                assertThat(row.getLong(1)).as("those of the first call, once").isBetween(300L, 600L);
            }
        }
    }

    private void assertReaders(Statement statement, int first, int last) throws SQLException {
        String sql = """
                SELECT count(*)
                FROM (
                    SELECT array_agg('a'::text) AS names, array_agg(md5(token::text)::uuid) AS ids, array_agg(token::bigint) AS tokens,
                        array_agg(0::bigint) AS ages, array_agg(60000000::bigint) AS remainings, array_agg(false) AS minimum_holds,
                        array_agg('a holder'::text) AS owners, array_agg(1) AS permits, array_agg(2147483647) AS permit_limits
                    FROM generate_series(%d, %d) token
                ) l
                CROSS JOIN LATERAL holdfast_assert_leases(
                    'app', 0, 60000, %d, names, ids, tokens, ages, remainings, minimum_holds, owners, permits, permit_limits)
                WHERE reply = 'granted'
                """;
        try (ResultSet row = statement.executeQuery(sql.formatted(first, last, epoch))) {
            row.next();
            assertThat(row.getInt(1)).isEqualTo(last - first + 1);
        }
    }
}
