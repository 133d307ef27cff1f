package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** When the claim windows of waiters for shares begin, in virtual time. */
class ShareClaimWindowTest extends ServerFixture {

    private static final LockName NAME = new LockName("job");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final AcquisitionId BRIEF = new AcquisitionId(0, 1);
    private static final AcquisitionId LONG = new AcquisitionId(0, 2);
    private static final AcquisitionId WAITER = new AcquisitionId(0, 3);
    private static final AcquisitionId NEXT = new AcquisitionId(0, 4);

    @Test
    void window_ofAShareThatFitsSinceALeaseEnded_isNotBegunAnewByALaterRelease() {
        checkWindowOfAShareThatFitsSinceALeaseEnded(UnaryOperator.identity());
    }

    @Test
    void window_countedFromTheCommandThatOpensIt_isFound() {
        String start = "local start = then_out + permits <= math.min(then_least, limit) and changed or now";
        assertThat(Script.SHARE_RELEASE.standalone().text()).contains(start);
        assertThatThrownBy(() ->
                        checkWindowOfAShareThatFitsSinceALeaseEnded(text -> text.replace(start, "local start = now")))
                .isInstanceOf(AssertionError.class);
    }

    private void checkWindowOfAShareThatFitsSinceALeaseEnded(UnaryOperator<String> change) {
        SteppedScripts scripts = new SteppedScripts(admin, false, change);
        scripts.setClock(100_000);
        granted(scripts, acquire(BRIEF, new Share(1, 3), SECOND, false));
        granted(scripts, acquire(LONG, new Share(1, 3), MINUTE, false));
        assertThat(reply(scripts, acquire(WAITER, new Share(2, 3), MINUTE, true)))
                .isInstanceOf(LockReply.Queued.class);
        scripts.notified();

        scripts.setClock(101_500); // the brief lease ended half a second ago: two of three are free
        released(scripts, LONG, new Share(1, 3));
        assertThat(scripts.notified()).contains(Set.of(Notification.of(NAME, WAITER)));

        scripts.setClock(101_000 + QueueTimes.CLAIM_WINDOW.toMillis() - 1);
        assertThat(reply(scripts, acquire(NEXT, Share.EXCLUSIVE, MINUTE, false)))
                .isInstanceOf(LockReply.Busy.class);
        scripts.setClock(101_001 + QueueTimes.CLAIM_WINDOW.toMillis());
        granted(scripts, acquire(NEXT, Share.EXCLUSIVE, MINUTE, false));
    }

    @Test
    void grant_ofAWaiterThatIsDue_dropsTheOneThatMissedItsWindow() {
        SteppedScripts scripts = new SteppedScripts(admin, false, UnaryOperator.identity());
        scripts.setClock(100_000);
        granted(scripts, acquire(BRIEF, new Share(2, 4), MINUTE, false));
        granted(scripts, acquire(LONG, new Share(2, 4), MINUTE, false));
        assertThat(reply(scripts, acquire(WAITER, new Share(1, 4), MINUTE, true)))
                .isInstanceOf(LockReply.Queued.class);
        assertThat(reply(scripts, acquire(NEXT, new Share(2, 4), MINUTE, true))).isInstanceOf(LockReply.Queued.class);
        released(scripts, BRIEF, new Share(2, 4)); // one of the two is left for the next waiter
        scripts.setClock(100_600);
        released(scripts, LONG, new Share(2, 4));

        scripts.setClock(100_001 + QueueTimes.CLAIM_WINDOW.toMillis());
        assertThat(scripts.shown(NAME)).contains(WAITER.toString());
        granted(scripts, acquire(NEXT, new Share(2, 4), MINUTE, true));

        assertThat(scripts.shown(NAME)).doesNotContain(WAITER.toString());
    }

    @Test
    void waiter_whenOneInItsWayDiesWhileTheLockIsFree_hasAWholeClaimWindow() {
        SteppedScripts scripts = new SteppedScripts(admin, false, UnaryOperator.identity());
        AcquisitionId missed = new AcquisitionId(0, 5);
        scripts.setClock(100_000);
        granted(scripts, acquire(LONG, new Share(4, 4), MINUTE, false));
        queued(scripts, acquire(missed, new Share(2, 4), MINUTE, true));
        queued(scripts, acquire(WAITER, new Share(1, 2), MINUTE, true));
        scripts.setClock(110_000);
        queued(scripts, acquire(NEXT, new Share(2, 4), MINUTE, true));
        scripts.setClock(112_000);
        released(scripts, LONG, new Share(4, 4)); // the first waiter may come within two seconds

        scripts.setClock(100_000
                + QueueTimes.WAITER_TTL.toMillis()
                + 1_000); // the second was in the way of the third until then
        assertThat(reply(scripts, acquire(BRIEF, new Share(3, 4), MINUTE, false)))
                .isInstanceOf(LockReply.Busy.class);
        granted(scripts, acquire(NEXT, new Share(2, 4), MINUTE, true));
    }

    @Test
    void window_ofTheFirstWaiter_isNotBegunAnewByTheDeathOfOneBehindIt() {
        SteppedScripts scripts = new SteppedScripts(admin, false, UnaryOperator.identity());
        scripts.setClock(100_000);
        granted(scripts, acquire(LONG, new Share(4, 4), MINUTE, false));
        queued(scripts, acquire(WAITER, Share.EXCLUSIVE, MINUTE, true));
        queued(scripts, acquire(NEXT, new Share(1, 2), MINUTE, true));
        scripts.setClock(110_000);
        queued(scripts, acquire(WAITER, Share.EXCLUSIVE, MINUTE, true));
        scripts.setClock(112_000);
        released(scripts, LONG, new Share(4, 4));

        scripts.setClock(100_000 + QueueTimes.WAITER_TTL.toMillis() + 1_000); // after two seconds for the first waiter
        granted(scripts, acquire(BRIEF, new Share(1, 4), MINUTE, false));
    }

    @Test
    void waiter_whenAnExclusiveRequestDropsOneInItsWay_hasAWholeClaimWindow() {
        SteppedScripts scripts = new SteppedScripts(admin, false, UnaryOperator.identity());
        AcquisitionId other = new AcquisitionId(0, 5);
        scripts.setClock(100_000);
        granted(scripts, acquire(LONG, new Share(1, 2), MINUTE, false));
        granted(scripts, acquire(BRIEF, new Share(1, 2), SECOND, false));
        queued(scripts, acquire(other, Share.EXCLUSIVE, MINUTE, true));
        queued(scripts, acquire(WAITER, new Share(1, 2), MINUTE, true));
        scripts.setClock(112_000);
        assertThat(reply(scripts, new LockCommand.Release(NAME, other, Duration.ZERO, Duration.ZERO)))
                .isEqualTo(new LockReply.Released(false)); // the brief lease ended eleven seconds ago

        scripts.setClock(112_001);
        assertThat(reply(scripts, acquire(NEXT, new Share(1, 2), MINUTE, false)))
                .isInstanceOf(LockReply.Busy.class);
        granted(scripts, acquire(WAITER, new Share(1, 2), MINUTE, true));
    }

    @Test
    void window_ofAShareThatFitsSinceALeaseEnded_isNotBegunAnewByARefusedId() {
        SteppedScripts scripts = new SteppedScripts(admin, false, UnaryOperator.identity());
        AcquisitionId refused = new AcquisitionId(0, 5);
        scripts.setClock(100_000);
        granted(scripts, acquire(LONG, new Share(1, 2), MINUTE, false));
        granted(scripts, acquire(BRIEF, new Share(1, 2), SECOND, false));
        queued(scripts, acquire(WAITER, new Share(1, 2), MINUTE, true));
        reply(scripts, new LockCommand.Release(NAME, refused, Duration.ZERO, MINUTE, new Share(1, 2)));
        scripts.setClock(103_000);
        assertThat(reply(scripts, acquire(refused, new Share(1, 2), MINUTE, true)))
                .isEqualTo(new LockReply.Gone());

        granted(scripts, acquire(NEXT, new Share(1, 2), MINUTE, false)); // two seconds after the end of the brief lease
    }

    @Test
    void withdrawal_ofAnExclusiveWaiter_notifiesAShareBehindItThatBecomesDue() {
        checkWithdrawalOfAnExclusiveWaiter(UnaryOperator.identity());
    }

    @Test
    void withdrawal_withoutALookAtTheSharesBehindIt_isFound() {
        String look = "drop(id)\nfirst_alive(now, now, lock, RELEASE)";
        assertThat(Script.RELEASE.standalone().text()).contains(look);
        assertThatThrownBy(() -> checkWithdrawalOfAnExclusiveWaiter(text -> text.replace(look, "drop(id)")))
                .isInstanceOf(AssertionError.class);
    }

    private void checkWithdrawalOfAnExclusiveWaiter(UnaryOperator<String> change) {
        SteppedScripts scripts = new SteppedScripts(admin, false, change);
        AcquisitionId other = new AcquisitionId(0, 5);
        scripts.setClock(100_000);
        granted(scripts, acquire(LONG, new Share(4, 4), MINUTE, false));
        queued(scripts, acquire(WAITER, new Share(1, 4), MINUTE, true));
        queued(scripts, acquire(other, Share.EXCLUSIVE, MINUTE, true));
        queued(scripts, acquire(NEXT, new Share(1, 4), MINUTE, true));
        released(scripts, LONG, new Share(4, 4));
        assertThat(scripts.notified()).contains(Set.of(Notification.of(NAME, WAITER)));

        reply(scripts, new LockCommand.Release(NAME, other, Duration.ZERO, Duration.ZERO));
        assertThat(scripts.notified()).contains(Set.of(Notification.of(NAME, NEXT)));
    }

    private static void queued(SteppedScripts scripts, LockCommand command) {
        assertThat(reply(scripts, command)).isInstanceOf(LockReply.Queued.class);
    }

    private static void released(SteppedScripts scripts, AcquisitionId id, Share share) {
        assertThat(reply(scripts, new LockCommand.Release(NAME, id, Duration.ZERO, Duration.ZERO, share)))
                .isEqualTo(new LockReply.Released(true));
    }

    private static LockCommand acquire(AcquisitionId id, Share share, Duration lease, boolean queue) {
        return new LockCommand.Acquire(NAME, id, lease, queue, 0, id.toString(), share);
    }

    private static void granted(SteppedScripts scripts, LockCommand command) {
        assertThat(reply(scripts, command)).isInstanceOf(LockReply.Granted.class);
    }

    private static LockReply reply(SteppedScripts scripts, LockCommand command) {
        return scripts.execute(List.of(command)).get(0);
    }
}
