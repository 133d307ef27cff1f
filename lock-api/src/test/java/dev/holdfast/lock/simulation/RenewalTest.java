package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.Unprintable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When the engine renews a lease, when the lease ends, and which listeners hear of it. */
class RenewalTest extends ScriptedCaller {

    @Test
    void remaining_whenGrantReplyIsSlow_countsFromSendingOfAttempt() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(10));
        scripted.reply(GRANTED);

        assertThat(held().remaining()).isEqualTo(LEASE.minusSeconds(10).minusMillis(30));
    }

    @Test
    void renewal_whoseFailureCannotBePrinted_isRepeatedUntilTheLossIsReported() {
        List<LockLostException> losses = new ArrayList<>();
        LeaseHolder lease = granted();
        lease.onLoss(losses::add);
        while (lease.state() != LeaseState.LOST) {
            scripted.expect(LockCommand.Renew.class);
            scripted.pass(Duration.ofSeconds(2));
            scripted.reply(new LockReply.Unavailable(new Unprintable()));
            scripted.pass(Duration.ofSeconds(2));
        }
        assertThat(losses).singleElement().asString().contains(Unprintable.class.getName());
        assertThat(scripted.log()).anyMatch(line -> line.contains("has not answered for"));
    }

    @Test
    void state_whenTheMachineSleepsWhileItIsRead_isLost() {
        LeaseHolder lease = granted();
        scripted.suspendWhileAnEndIsRead(LEASE);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void release_ofLongLease_leavesNoTimer() {
        LeaseOptions aDay = new LeaseOptions(Duration.ofDays(1), true, Duration.ZERO, CALL);
        for (int token = 1; token <= 5_000; token++) {
            acquire(aDay, WaitPolicy.unlimited());
            scripted.expect(LockCommand.Acquire.class);
            scripted.reply(new LockReply.Granted(token, aDay.length()));
            assertThat(held().release(Lane.CALLER, Duration.ZERO, releaseResults::add))
                    .isTrue();
            scripted.expect(LockCommand.Release.class);
            scripted.reply(new LockReply.Released(true));
            outcomes.clear();
            scripted.pass(Duration.ofMillis(50));

            assertThat(scripted.timers()).as("timers after %s leases", token).isLessThan(100);
        }
        scripted.pass(Duration.ofSeconds(3));
        assertThat(scripted.timers()).isZero();
    }

    @Test
    void renewal_dueAfterAThirdOfLease_isRepeatedUntilLeaseEnds() {
        LeaseHolder lease = granted();
        List<LockLostException> losses = new ArrayList<>();
        lease.onLoss(losses::add);

        scripted.pass(Duration.ofMillis(9_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Renew.class);
        scripted.replyUnavailable();
        assertThat(lease.state()).isEqualTo(LeaseState.UNCONFIRMED);
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(GRANTED);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        scripted.expect(LockCommand.Renew.class);

        scripted.pass(LEASE);
        assertThat(losses).as("the renewal hangs, the loss is told").hasSize(1);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        scripted.reply(GRANTED);
        assertThat(lease.state()).as("a late renewal changes nothing").isEqualTo(LeaseState.LOST);
        assertThat(losses).hasSize(1);
    }

    @Test
    void renewal_thatCouldNotBeSent_isRepeated() {
        LeaseHolder lease = granted();
        scripted.failSends(true);
        scripted.pass(LEASE.dividedBy(3));
        scripted.failSends(false);
        assertThat(lease.state()).isEqualTo(LeaseState.UNCONFIRMED);

        scripted.expect(LockCommand.Renew.class);
        scripted.reply(GRANTED);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void lossListener_thatWasRemoved_isNotCalled() {
        LeaseHolder lease = granted();
        List<LockLostException> unwanted = new ArrayList<>();
        List<LockLostException> losses = new ArrayList<>();
        Consumer<LockLostException> removed = unwanted::add;
        lease.removeLossListener(removed); // unknown as yet
        lease.onLoss(removed);
        lease.onLoss(losses::add);
        lease.removeLossListener(removed);
        scripted.expect(LockCommand.Renew.class);

        scripted.pass(LEASE);
        assertThat(losses).hasSize(1);
        assertThat(unwanted).isEmpty();
        lease.removeLossListener(removed); // changes nothing once the lease is lost
    }

    @Test
    void lossEvent_followedByNewGrant_reachesListenersFirst() {
        List<String> events = new ArrayList<>();
        scripted.engine().addListener(new LockListener() {
            @Override
            public void acquired(String name, LeaseKind kind, long fencingToken, Duration waited) {
                events.add("acquired " + fencingToken / LockReply.Granted.HOLDERS_PER_GRANT);
            }

            @Override
            public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
                events.add("lost " + fencingToken / LockReply.Granted.HOLDERS_PER_GRANT);
            }
        });
        granted().onLoss(loss -> {
            acquire(WaitPolicy.unlimited());
            while (scripted.expect(LockCommand.class) instanceof LockCommand.Renew) {
                scripted.replyUnavailable();
            }
            scripted.reply(new LockReply.Granted(8, LEASE));
        });
        scripted.pass(LEASE);

        assertThat(events).containsExactly("acquired 7", "lost 7", "acquired 8");
    }

    @Test
    void renewal_whenStoreFindsNoLease_losesLeaseAtOnce() {
        LeaseHolder lease = granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Gone());

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void fixedLease_whenItExpires_isLostWithoutRenewal() {
        acquire(new LeaseOptions(LEASE, false, Duration.ZERO, CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);

        scripted.pass(LEASE.minusMillis(31));
        assertThat(scripted.isQuiet()).isTrue();
        assertThat(held().state()).isEqualTo(LeaseState.HELD);
        scripted.pass(Duration.ofMillis(31));
        assertThat(held().state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void renewal_whenGrantHasLessRemaining_isDueAfterAThirdOfRemainder() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(7, Duration.ofSeconds(6)));

        scripted.pass(Duration.ofSeconds(2));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Renew.class);
    }

    @Test
    void renewal_whenConfirmedForLess_shortensLease() {
        LeaseHolder lease = granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Granted(7, Duration.ofSeconds(1)));

        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(999));
    }

    @Test
    void loss_duringSuspension_isReportedWithinOneSecondAfterResume() {
        acquire(new LeaseOptions(Duration.ofHours(1), false, Duration.ZERO, CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(7, Duration.ofHours(1)));
        List<LockLostException> losses = new ArrayList<>();
        held().onLoss(losses::add);
        scripted.pass(Duration.ofMinutes(1));

        scripted.suspend(Duration.ofHours(2));

        assertThat(losses).isEmpty();
        scripted.pass(Duration.ofSeconds(1));
        assertThat(losses).hasSize(1);
    }

    @Test
    void losses_duringSuspension_areAllReportedThoughAReleaseCannotBeSent() {
        LeaseOptions fixed = new LeaseOptions(Duration.ofHours(1), false, Duration.ZERO, CALL);
        List<LockLostException> losses = new ArrayList<>();
        for (LockName name : List.of(JOB, OTHER)) {
            scripted.engine().acquire(name, fixed, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
            scripted.expect(LockCommand.Acquire.class);
            scripted.reply(new LockReply.Granted(7, Duration.ofHours(1)));
            ((AcquireResult.Held) outcomes.get(outcomes.size() - 1)).holder().onLoss(losses::add);
        }
        scripted.suspend(Duration.ofHours(2));
        scripted.failSends(true);
        assertThatThrownBy(() -> scripted.pass(Duration.ofSeconds(1))).isInstanceOf(OutOfMemoryError.class);
        assertThat(losses).hasSize(2);
    }
}
