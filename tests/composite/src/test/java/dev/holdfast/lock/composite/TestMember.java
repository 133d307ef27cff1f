package dev.holdfast.lock.composite;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.composite.member.CommandRouter;
import dev.holdfast.lock.composite.member.MemberLoop;
import dev.holdfast.lock.composite.member.SerializedMember;
import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.composite.protocol.StoreTask;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A member whose tasks are carried out one by one as a test says, and whose clock goes ahead as the test says. */
final class TestMember implements AutoCloseable {

    /** Longer than a test waits for anything. */
    static final Duration TIMEOUT = Duration.ofMinutes(10);

    /** A clock that a test sets ahead. */
    static final class SettableClock implements Clock {

        private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

        @Override
        public DualClockInstant now() {
            return Clock.SYSTEM.now().plus(ahead.get());
        }

        void advance(Duration time) {
            ahead.updateAndGet(before -> before.plus(time));
        }
    }

    private final SerializedMember member;
    private final CommandRouter router;
    private final PrimaryStore primary;
    private final AuthorityStore authority;

    /** @param primary closed with this */
    TestMember(long number, Timing timing, Clock clock, PrimaryStore primary, AuthorityStore authority) {
        this.member = new SerializedMember(
                new Member(new AcquisitionId(7, number), "test", timing, new IgnoringListener()), clock);
        this.router = new CommandRouter(member, primary, authority);
        this.primary = primary;
        this.authority = authority;
    }

    LockReply execute(LockCommand command) {
        return execute(List.of(command)).get(0);
    }

    List<LockReply> execute(List<LockCommand> commands) {
        return router.execute(commands, Deadline.in(TIMEOUT));
    }

    /** Carries out the tasks that are due. */
    void runTasks(StoreTask.Target... targets) {
        for (StoreTask.Target target : targets) {
            StoreTask<?> task = member.poll(target);
            while (task != null) {
                MemberLoop.execute(member, task, primary, authority, TIMEOUT);
                task = member.poll(target);
            }
        }
    }

    /** Carries out the next task for the authority. */
    void runNextAuthorityTask(Duration timeout) throws InterruptedException {
        StoreTask<?> task = member.take(StoreTask.Target.AUTHORITY);
        MemberLoop.execute(member, task, primary, authority, timeout);
    }

    boolean isIn(FailoverPhase phase) {
        return member.isIn(phase);
    }

    PrimaryStore primary() {
        return primary;
    }

    @Override
    public void close() {
        member.close();
        primary.close();
    }

    private static final class IgnoringListener implements Member.Listener {
        @Override
        public void failover(FailoverEvent event) {}

        @Override
        public void transition(FailoverPhase phase) {}

        @Override
        public void leasesShortened() {}
    }
}
