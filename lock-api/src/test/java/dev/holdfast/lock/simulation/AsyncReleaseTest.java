package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A release whose caller goes on, and what that caller asks for before the store has replied. */
class AsyncReleaseTest extends ScriptedWaitQueue {

    private static final int RUNS = 200;
    private static final int PAIRS = 30;

    private void releaseAndGoOn() {
        lease(0).release(Lane.BACKGROUND, Duration.ofSeconds(10), releaseResults::add);
        assertThat(lease(0).state()).isEqualTo(LeaseState.RELEASED);
    }

    private void reply(LockReply reply) {
        scripted.expect(LockCommand.class);
        scripted.reply(reply);
    }

    private void held() {
        acquire(0, RENEWED);
        granted(7);
    }

    @Test
    void acquire_whileTheReleaseIsNotSent_followsItInTheSameCallOfTheCaller() {
        held();
        scripted.holdThreads();
        releaseAndGoOn();
        acquire(1, RENEWED);

        scripted.expect(LockCommand.Release.class);
        assertThat(scripted.lane()).isEqualTo(Lane.CALLER);
        scripted.reply(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.CALLER);
        scripted.reply(new LockReply.Granted(8, LEASE));
        assertThat(served).containsExactly(0, 1);
        assertThat(releaseResults).containsExactly(ReleaseResult.HELD);
        scripted.letThreadsGoOn();
        assertThat(scripted.isQuiet()).as("the release is sent once").isTrue();
    }

    @Test
    void acquire_whileTheReleaseIsUnderWay_isSentAtOnce() {
        held();
        releaseAndGoOn();
        acquire(1, RENEWED);
        scripted.expect(LockCommand.Release.class);
        scripted.replyToLatest(new LockReply.Granted(8, LEASE));

        assertThat(served).containsExactly(0, 1);
        assertThat(releaseResults).isEmpty();
        scripted.reply(RELEASED);
        assertThat(releaseResults).containsExactly(ReleaseResult.HELD);
        assertThat(lease(1).state()).isEqualTo(LeaseState.HELD);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void acquireOnce_thatHasOvertakenTheRelease_asksAgainOnceThatIsAnswered() {
        held();
        releaseAndGoOn();
        acquireOnce();
        scripted.expect(LockCommand.Release.class);
        scripted.replyToLatest(new LockReply.Busy(LEASE));

        assertThat(outcomes)
                .as("it is the caller's own lease that is in the way")
                .hasSize(1);
        reply(RELEASED);
        assertThat(scripted.isQuiet()).as("without a pause").isFalse();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(8, LEASE));
        assertThat(outcomes).last().isInstanceOf(AcquireResult.Held.class);
    }

    @Test
    void acquireOnce_whoseRefusalArrivesAfterTheReplyToTheRelease_asksAgainOnce() {
        held();
        releaseAndGoOn();
        acquireOnce();
        reply(RELEASED);
        reply(new LockReply.Busy(LEASE));

        assertThat(outcomes).hasSize(1);
        assertThat(scripted.isQuiet()).as("without a pause").isFalse();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Busy(LEASE));
        assertThat(outcomes).last().isInstanceOf(AcquireResult.Busy.class);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void acquire_ofShortWait_isNotBusyByTheRefusalOfAnAttemptThatHasOvertaken() {
        held();
        releaseAndGoOn();
        acquire(1, RENEWED, WaitPolicy.upTo(Duration.ofMillis(5), CALL));
        scripted.expect(LockCommand.Release.class);
        scripted.replyToLatest(new LockReply.Busy(LEASE));
        scripted.pass(Duration.ofMillis(6));

        assertThat(outcomes).as("no refusal that counts").hasSize(1);
        reply(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(8, LEASE));
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void acquireOnce_behindTheReleaseInOneCall_isBusyByTheFirstRefusal() {
        held();
        scripted.holdThreads();
        releaseAndGoOn();
        acquireOnce();
        reply(RELEASED);
        reply(new LockReply.Busy(LEASE));

        assertThat(outcomes).last().isInstanceOf(AcquireResult.Busy.class);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void acquireOnce_whenTheReleaseIsNotAnswered_isBusyByTheNextRefusal() {
        held();
        releaseAndGoOn();
        acquireOnce();
        scripted.expect(LockCommand.Release.class);
        scripted.replyToLatest(new LockReply.Busy(LEASE));
        scripted.replyUnavailable();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Busy(LEASE));

        assertThat(outcomes).last().isInstanceOf(AcquireResult.Busy.class);
        reply(RELEASED);
        assertThat(releaseResults).containsExactly(ReleaseResult.HELD);
    }

    @Test
    void waiter_thatHasOvertakenTheRelease_asksAgainWithoutANotification() {
        held();
        releaseAndGoOn();
        acquire(1, RENEWED);
        LockCommand.Release release = scripted.expect(LockCommand.Release.class);
        scripted.replyToLatest(QUEUED);
        scripted.reply(RELEASED);
        assertThat(scripted.isQuiet()).as("without a pause").isFalse();
        LockCommand.Acquire again = scripted.expect(LockCommand.Acquire.class);

        assertThat(again.id()).isNotEqualTo(release.id());
        scripted.reply(new LockReply.Granted(8, LEASE));
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void release_withAWaiter_handsTheLeaseOn() {
        held();
        acquire(1, RENEWED);
        releaseAndGoOn();

        assertThat(releaseResults).containsExactly(ReleaseResult.HELD);
        assertThat(served).containsExactly(0, 1);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void release_onceAnswered_leavesNoQueueBehind() {
        held();
        releaseAndGoOn();
        Duration withOneName = scripted.engine().closeLimit();
        reply(RELEASED);

        assertThat(scripted.engine().closeLimit()).isLessThan(withOneName);
    }

    @Test
    void close_whileTheReleaseIsUnderWay_settlesOnceItIsAnswered() {
        held();
        releaseAndGoOn();
        boolean[] settled = new boolean[1];
        scripted.engine().close(() -> settled[0] = true);
        scripted.expect(LockCommand.Release.class);
        assertThat(settled[0]).isFalse();
        scripted.reply(RELEASED);

        assertThat(settled[0]).isTrue();
        assertThat(releaseResults).containsExactly(ReleaseResult.HELD);
    }

    /** Whichever command arrives first, and whether or not they travel together. */
    @Test
    void acquireOnce_afterTheOnlyHolderHasReleasedAndGoneOn_isNeverBusy() {
        Seeds.runSome(RUNS, seed -> {
            Random random = new Random(seed);
            VirtualTime time = new VirtualTime();
            SimulatedStore store =
                    new SimulatedStore(time, random.nextBoolean() ? QUEUE_AND_NOTIFICATIONS : Set.<Capability>of(), 16);
            SimulatedProcess process = new SimulatedProcess(time, store, new Network(), random);
            List<AcquireResult> results = new ArrayList<>();
            for (int pair = 1; pair <= PAIRS; pair++) {
                int expected = pair;
                process.engine().acquire(JOB, oneOfTwo(random), WaitPolicy.once(CALL), Lane.CALLER, results::add);
                time.run(CALL, () -> results.size() == expected);
                AcquireResult latest = results.get(results.size() - 1);
                assertThat(latest).as("pair %d", pair).isInstanceOf(AcquireResult.Held.class);
                ((AcquireResult.Held) latest).holder().release(Lane.BACKGROUND, CALL, releaseResults::add);
                time.run(Duration.ofNanos(random.nextInt(1_000_000)), () -> false);
            }
        });
    }

    private static LeaseOptions oneOfTwo(Random random) {
        return random.nextBoolean() ? RENEWED : new LeaseOptions(LEASE.dividedBy(2), true, Duration.ZERO, CALL);
    }
}
