package dev.holdfast.lock.composite;

import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.composite.regime.Duty;
import dev.holdfast.lock.composite.regime.Events;
import dev.holdfast.lock.composite.regime.Member;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a process does for the regime, one by one as a test says, instead of on threads of its own. */
final class Duties {

    private Duties() {}

    /** That of a process of this number, whose events are dropped. */
    static Seat seat(long number, Timing timing, Clock clock) {
        return new Seat(new Member(new AcquisitionId(7, number), "test", timing, new Deaf()), clock);
    }

    /** Asks what this duty has to ask, and tells the process what came of it. */
    static <T> void carryOut(
            Seat seat, Duty<T> duty, PrimaryStore primary, AuthorityStore authority, Duration timeout) {
        @Nullable T answer = null;
        @Nullable RuntimeException failure = null;
        Moment sent = seat.now();
        try {
            answer = duty.question().ask(primary, authority, timeout);
        } catch (RuntimeException e) {
            failure = e;
        }
        seat.conclude(duty, answer, failure, sent);
    }

    private static final class Deaf implements Events {
        @Override
        public void happened(RegimeEvent event) {}

        @Override
        public void changed(Mode mode) {}

        @Override
        public void sooner() {}
    }
}
