package dev.holdfast.lock.composite.protocol;

import static dev.holdfast.lock.composite.protocol.Script.TIMING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** What a check of the primary's health shows: the reasons to drain the primary at once, and when it may return to power. */
class HealthRulesTest {

    private static final String SERVER = "id";
    private static final Duration STEP = TIMING.clockTolerance().plusMillis(1);
    private static final Duration REQUIRED = TIMING.healthyTime(1);

    private final Script script = new Script();
    /** The epoch in which the failback begins. */
    private long fallback = 3;

    @Test
    void primary_whoseClockWasSetAhead_isDrained() {
        script.learn(2, FailoverPhase.PRIMARY);
        check(health(2, Duration.ZERO));
        script.pass(TIMING.readInterval());
        check(health(2, STEP));

        assertThat(script.member.isUrgent()).isTrue();
    }

    @Test
    void primary_whoseClockIsAheadByWhatIsTolerated_staysInPower() {
        script.learn(2, FailoverPhase.PRIMARY);
        check(health(2, Duration.ZERO));
        script.pass(TIMING.readInterval());
        check(health(2, TIMING.clockTolerance()));

        assertThat(script.member.isUrgent()).isFalse();
    }

    /** The monotonic clock stood still meanwhile. */
    @Test
    void primary_whenThisProcessWasSuspended_staysInPower() {
        script.learn(2, FailoverPhase.PRIMARY);
        check(health(2, Duration.ZERO));
        script.pass(TIMING.readInterval());
        script.setWallClock(STEP);
        check(health(2, STEP));

        assertThat(script.member.isUrgent()).isFalse();
    }

    @Test
    void primary_whenTheWallClockOfThisProcessIsSetBack_staysInPower() {
        script.learn(2, FailoverPhase.PRIMARY);
        check(health(2, Duration.ZERO));
        script.pass(TIMING.readInterval());
        script.setWallClock(STEP.negated());
        check(health(2, Duration.ZERO));

        assertThat(script.member.isUrgent()).isFalse();
    }

    @Test
    void primary_withoutTheRecordOfItsTerm_isDrained() {
        script.learn(2, FailoverPhase.PRIMARY);
        check(health(0, Duration.ZERO));

        assertThat(script.member.isUrgent()).isTrue();
    }

    @Test
    void primary_withTheRecordOfAnotherTerm_isDrained() {
        script.learn(4, FailoverPhase.PRIMARY);
        check(health(2, Duration.ZERO));

        assertThat(script.member.isUrgent()).isTrue();
    }

    /** It may have been carried out before the record was written. */
    @Test
    void primary_whoseCheckWasSentBeforeItsTerm_staysInPower() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.run(Target.PRIMARY, (method, arguments) -> {
            PrimaryHealth health = health(2, Duration.ZERO);
            script.learn(4, FailoverPhase.FAILING_BACK);
            script.learn(4, FailoverPhase.PRIMARY);
            return health;
        });

        assertThat(script.member.isUrgent()).isFalse();
    }

    @Test
    void primary_thatHasBeenHealthyForLongEnough_returnsToPower() {
        script.learn(3, FailoverPhase.FALLBACK);

        assertThat(timeUntilFailback(number -> health(2, Duration.ZERO)))
                .isBetween(REQUIRED, REQUIRED.plus(TIMING.lease()));
    }

    @Test
    void primary_thatDoesNotReplyOnce_hasToBeHealthyForLongEnoughSince() {
        assertStartsAgain(() -> {
            throw new LockUnavailableException("no reply", null);
        });
    }

    @Test
    void primary_whoseClockIsSet_hasToBeHealthyForLongEnoughSince() {
        assertStartsAgain(() -> health(2, STEP));
    }

    @Test
    void primary_thatObjectsOnce_hasToBeHealthyForLongEnoughSince() {
        assertStartsAgain(() -> {
            PrimaryHealth well = health(2, Duration.ZERO);
            return new PrimaryHealth(SERVER, true, 2, well.clock(), 1, Optional.of("is loading"));
        });
    }

    @Test
    void primary_whenAnotherServerReplies_hasToBeHealthyForLongEnoughSince() {
        assertStartsAgain(() -> health("other", Duration.ZERO));
    }

    /** Only the clock of the same server tells whether it was set. */
    @Test
    void primary_onAnotherServerWhoseClockIsAhead_returnsToPower() {
        script.learn(3, FailoverPhase.FALLBACK);
        check(health(2, Duration.ZERO));
        script.learn(3, FailoverPhase.FALLBACK);

        assertThat(timeUntilFailback(number -> health("other", STEP)))
                .isBetween(REQUIRED, REQUIRED.plus(TIMING.readInterval().multipliedBy(2)));
    }

    @Test
    void primary_whenItsFailbackWasProposed_hasToBeHealthyForLongEnoughAgain() {
        script.learn(3, FailoverPhase.FALLBACK);
        timeUntilFailback(number -> health(2, Duration.ZERO));
        script.learn(3, FailoverPhase.FALLBACK);

        assertThat(timeUntilFailback(number -> health(2, Duration.ZERO))).isGreaterThanOrEqualTo(REQUIRED);
    }

    @Test
    void primary_whenTheFailbackOfAnotherProcessWasAborted_hasToBeHealthyForLongEnoughAgain() {
        for (int checks = 0; checks < 10; checks++) {
            script.learn(3, FailoverPhase.FALLBACK);
            check(health(2, Duration.ZERO));
        }
        script.learn(4, FailoverPhase.FAILING_BACK);
        fallback = 5;
        script.learn(fallback, FailoverPhase.FALLBACK);

        assertThat(timeUntilFailback(number -> health(2, Duration.ZERO))).isGreaterThanOrEqualTo(REQUIRED);
    }

    private interface Reply {
        PrimaryHealth get();
    }

    /** This reply halfway to the failback delays it. */
    private void assertStartsAgain(Reply halfway) {
        script.learn(3, FailoverPhase.FALLBACK);
        long middle = REQUIRED.dividedBy(TIMING.readInterval()) / 2;

        assertThat(timeUntilFailback(number -> number == middle ? halfway.get() : health(2, Duration.ZERO)))
                .isGreaterThan(REQUIRED.multipliedBy(4).dividedBy(3));
    }

    private Duration timeUntilFailback(IntFunction<PrimaryHealth> checks) {
        DualClockInstant start = script.now();
        int number = 0;
        while (!proposesAnything()) {
            script.learn(fallback, FailoverPhase.FALLBACK);
            int current = number++;
            script.run(Target.PRIMARY, (method, arguments) -> checks.apply(current));
        }
        return start.until(script.now());
    }

    private boolean proposesAnything() {
        return script.run(Target.AUTHORITY, (method, arguments) -> false);
    }

    private void check(PrimaryHealth health) {
        script.run(Target.PRIMARY, (method, arguments) -> health);
    }

    private PrimaryHealth health(long epoch, Duration ahead) {
        return health(SERVER, epoch, ahead);
    }

    private PrimaryHealth health(String server, Duration ahead) {
        return health(server, 2, ahead);
    }

    private PrimaryHealth health(String server, long epoch, Duration ahead) {
        long micros = script.now().nanos() / 1_000 + ahead.toNanos() / 1_000;
        return new PrimaryHealth(server, true, epoch, micros, 1, Optional.empty());
    }
}
