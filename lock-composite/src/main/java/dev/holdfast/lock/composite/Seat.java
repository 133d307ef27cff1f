package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.regime.Duty;
import dev.holdfast.lock.composite.regime.Lane;
import dev.holdfast.lock.composite.regime.Member;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.internal.Moment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A {@link Member}, which lets one thread at a time in. Never held while a store is asked. */
final class Seat {

    private final Member member;
    private final Clock clock;
    private final ReentrantLock turn = new ReentrantLock();
    private final Condition something = turn.newCondition();
    /** The lanes that wait, and have looked whether anything is due since something happened. */
    private final Set<Lane> idle = EnumSet.noneOf(Lane.class);

    private boolean closed;

    Seat(Member member, Clock clock) {
        this.member = member;
        this.clock = clock;
    }

    /** This instant. */
    Moment now() {
        return clock.now();
    }

    /** Asks or tells the member something. */
    <T> T with(BiFunction<Member, Moment, T> question) {
        turn.lock();
        try {
            T answer = question.apply(member, clock.now());
            if (member.isUrgent()) {
                signal();
            }
            return answer;
        } finally {
            turn.unlock();
        }
    }

    /** Tells the member what became of a duty. */
    <T> void conclude(Duty<T> duty, @Nullable T answer, @Nullable RuntimeException failure, Moment sent) {
        turn.lock();
        try {
            duty.conclusion().draw(answer, failure, sent, clock.now());
            signal();
        } finally {
            turn.unlock();
        }
    }

    /** The next duty of this lane, as soon as there is one; null once this is closed. */
    @Nullable
    Duty<?> await(Lane lane) throws InterruptedException {
        turn.lockInterruptibly();
        try {
            while (!closed) {
                Moment now = clock.now();
                Duty<?> duty = member.next(lane, now);
                if (duty != null) {
                    idle.remove(lane);
                    return duty;
                }
                idle.add(lane);
                something.awaitNanos(Math.max(1, member.idle(lane, now).toNanos()));
            }
            return null;
        } finally {
            turn.unlock();
        }
    }

    /** Waits until this is so, for this long at most, and tells whether it is. */
    boolean await(Predicate<Member> state, Duration most) {
        turn.lock();
        try {
            long left = most.toNanos();
            while (!state.test(member) && left > 0 && !closed) {
                left = something.awaitNanos(left);
            }
            return state.test(member);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return state.test(member);
        } finally {
            turn.unlock();
        }
    }

    private void signal() {
        idle.clear();
        something.signalAll();
    }

    /** Has both lanes look at the clock again. */
    void wake() {
        turn.lock();
        try {
            signal();
        } finally {
            turn.unlock();
        }
    }

    /** Whether nothing is due, and nothing is under way. */
    boolean isIdle() {
        turn.lock();
        try {
            return closed || idle.size() == Lane.values().length;
        } finally {
            turn.unlock();
        }
    }

    void close() {
        turn.lock();
        try {
            closed = true;
            signal();
        } finally {
            turn.unlock();
        }
    }
}
