package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static dev.holdfast.lock.jdbc.authority.Authority.carried;
import static dev.holdfast.lock.jdbc.authority.Authority.kept;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Minimum holds that are asserted in DRAINING. */
@Tag("first-build")
class MinimumHoldAssertionTest extends AssertedLeases {

    /** Whose process missed an earlier DRAIN may assert a minimum hold that is lost since: the lock became another's. */
    @Test
    void minimumHold_whenALaterGrantIsAsserted_givesWay() {
        long epoch = authority.drain().epoch();
        asserted(epoch, kept("held", holder, 77));
        asserted(epoch, kept("kept", holder, 77));
        AcquisitionId next = id();

        assertThat(asserted(epoch, carried("held", next, 78)).token()).isEqualTo(78);
        assertThat(asserted(epoch, kept("kept", next, 78)).token()).isEqualTo(78);

        assertThat(lock("held").holder().map(LockInfo.Holder::id)).contains(next);
        assertThat(authority.ask(epoch, renew("held", next, LEASE))).isInstanceOf(LockReply.Granted.class);
        gone(epoch, kept("held", holder, 77));
        gone(epoch, kept("kept", holder, 77));
    }

    /** The lease's own assertion came first, and the release that was to keep it did not, or comes later. */
    @Test
    void minimumHold_whenItsLeaseHasExpired_isKept() throws SQLException {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        database.execute("UPDATE holdfast_lock SET expires_at = now() - interval '1 second'");

        assertThat(asserted(epoch, kept("a", holder, 77)).token()).isEqualTo(77);

        assertThat(authority.ask(epoch, release("a", holder, Duration.ofHours(1), Duration.ZERO)))
                .isEqualTo(new LockReply.Released(false));
        gone(epoch, carried("a", holder, 77));
        database.execute("UPDATE holdfast_lock SET expires_at = now() - interval '1 second'");
        asserted(epoch, kept("a", holder, 77));
        authority.pass(new Transition.ActivateFallback(epoch));
        assertThat(authority.ask(epoch, acquire("a", id()))).isInstanceOf(LockReply.Busy.class);
    }

    @Test
    void minimumHold_whenAsserted_endsItsLeaseAndLastsForItsOwnTime() {
        long epoch = authority.drain().epoch();
        TransferredLease longer = carried("a", holder, 77, LEASE.multipliedBy(9));
        asserted(epoch, longer);

        assertThat(asserted(epoch, kept("a", holder, 77)).remaining()).isEqualTo(LEASE);

        assertThat(lock("a").holder()).isEmpty();
        assertThat(lock("a").minimumHoldUntil()).isPresent();
        assertThat(authority.ask(epoch, renew("a", holder, LEASE))).isInstanceOf(LockReply.Gone.class);
        gone(epoch, longer);
        TransferredLease again = kept("a", holder, 77, LEASE.multipliedBy(9));
        assertThat(asserted(epoch, again).remaining()).isEqualTo(LEASE.multipliedBy(9));
        assertThat(asserted(epoch, kept("a", holder, 77)).remaining())
                .as("never shortened once it is kept")
                .isGreaterThan(LEASE.multipliedBy(8));
    }

    @Test
    void minimumHold_whenAsserted_cannotBeRenewed() {
        long epoch = authority.drain().epoch();
        asserted(epoch, kept("a", holder, 77));
        assertThat(lock("a").holder()).isEmpty();
        assertThat(lock("a").minimumHoldUntil()).isPresent();
        assertThat(authority.ask(epoch, renew("a", holder, LEASE))).isInstanceOf(LockReply.Gone.class);
        authority.pass(new Transition.ActivateFallback(epoch));
        assertThat(authority.ask(epoch, acquire("a", id()))).isInstanceOf(LockReply.Busy.class);
    }
}
