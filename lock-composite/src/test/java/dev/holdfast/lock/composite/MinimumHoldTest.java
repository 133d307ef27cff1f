package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.regime.Duty;
import dev.holdfast.lock.composite.regime.Lane;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What was given back with a minimum hold, through changes of the regime on real servers. Which there are says the test, and a
 * member does nothing but its duties towards the authority; its clock goes on by as much as the test says.
 */
class MinimumHoldTest {

    private static final Timing TIMING = new Timing(Duration.ofMinutes(1));
    private static final Duration LEASE = Duration.ofHours(1);
    private static final Duration MINIMUM = Duration.ofHours(8);
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final Step.Acquire JOB = acquiring(1);
    private static final Step.Acquire AGAIN = acquiring(2);

    private static final AtomicInteger SPACES = new AtomicInteger();
    private static Servers servers;

    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    private final Clock clock = () -> Clock.SYSTEM.now().plus(ahead.get());
    private final Namespace namespace = new Namespace("nightly-" + SPACES.incrementAndGet());
    private final Config config =
            Servers.config(servers.configuration("composite", TIMING.lease().toSeconds() + "s"));
    private final AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config, true);
    private final PrimaryStore primary =
            new RedisLockProvider().primary(namespace, config).get();
    private final Seat seat = Duties.seat(7, TIMING, clock);
    private final Asking asking = new Asking(seat, primary, authority);

    @BeforeAll
    static void start() {
        servers = Servers.sharing(RedisServer.own());
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @AfterEach
    void close() {
        seat.close();
        primary.close();
        authority.close();
    }

    @Test
    void aMinimumHoldLastsThroughEachFailoverAfterReturnsThatWereGivenUp() {
        authority.found(TIMING.lease(), 1, TIMEOUT);
        learn(Mode.FALLBACK);
        assertThat(asked(JOB)).isInstanceOf(Answer.Granted.class);
        assertThat(asked(new Step.Release(JOB.name(), JOB.id(), MINIMUM, Duration.ZERO)))
                .isEqualTo(new Answer.Released(true));

        giveUpAReturn();
        failOver();
        failOver();
        giveUpAReturn();
        giveUpAReturn();
        failOver();

        assertThat(regime().epoch()).isEqualTo(13);
    }

    @Test
    void aMinimumHoldOfALeaseThatWasLostBlocksNothing() {
        authority.found(TIMING.lease(), 1, TIMEOUT);
        learn(Mode.FALLBACK);
        Step.Acquire brief = new Step.Acquire(JOB.name(), JOB.id(), Duration.ofMillis(100), false, 0, "test");
        assertThat(asked(brief)).isInstanceOf(Answer.Granted.class);
        Await.until("its time is over", () -> asked(AGAIN) instanceof Answer.Granted);
        assertThat(asked(new Step.Release(AGAIN.name(), AGAIN.id(), Duration.ZERO, Duration.ZERO)))
                .isEqualTo(new Answer.Released(true));

        assertThat(asked(new Step.Release(JOB.name(), JOB.id(), MINIMUM, Duration.ZERO)))
                .isEqualTo(new Answer.Released(false));
        ChangingProvider.crown(authority, primary, epoch());
        learn(Mode.PRIMARY);
        change(new Transition.Depose(epoch(), "a test wants it"));
        learn(Mode.DRAIN);
        change(new Transition.Open(epoch()));
        learn(Mode.FALLBACK);

        assertThat(asked(acquiring(3))).isInstanceOf(Answer.Granted.class);
    }

    /** FALLBACK, PREPARE, FALLBACK. */
    private void giveUpAReturn() {
        change(new Transition.Prepare(epoch(), primary.examine(TIMEOUT).lineage()));
        learn(Mode.PREPARE);
        change(new Transition.Burn(epoch(), "a test wants it"));
        learn(Mode.FALLBACK);
        assertThat(asked(AGAIN)).isInstanceOf(Answer.Busy.class);
    }

    /** FALLBACK, PREPARE, PRIMARY, DRAIN, FALLBACK. */
    private void failOver() {
        ChangingProvider.crown(authority, primary, epoch());
        learn(Mode.PRIMARY);
        assertThat(asked(AGAIN)).isInstanceOf(Answer.Busy.class);
        change(new Transition.Depose(epoch(), "a test wants it"));
        learn(Mode.DRAIN);
        change(new Transition.Open(epoch()));
        learn(Mode.FALLBACK);
        assertThat(asked(AGAIN)).isInstanceOf(Answer.Busy.class);
    }

    private void change(Transition transition) {
        assertThat(authority.change(transition, TIMEOUT)).as("%s", transition).isTrue();
    }

    private Regime regime() {
        return authority.look(TIMEOUT).map(Reading::regime).orElseThrow();
    }

    private long epoch() {
        return regime().epoch();
    }

    private Answer asked(Step step) {
        return asking.apply(List.of(step), Deadline.in(TIMEOUT)).get(0);
    }

    /**
     * The member learns of this, and does what it has to. That takes a regime lease, so that nothing of what it knew before counts;
     * but a return to the primary would be broken off by then.
     */
    private void learn(Mode mode) {
        int readings = mode == Mode.PREPARE ? 1 : 3;
        for (int reading = 0; reading < readings; reading++) {
            ahead.updateAndGet(before -> before.plus(TIMING.reading()));
            doDuties();
            assertThat(regime().mode()).isEqualTo(mode);
        }
        assertThat(seat.<Boolean>with((member, now) -> member.knows(mode))).isTrue();
    }

    private void doDuties() {
        Duty<?> duty = seat.with((member, now) -> member.next(Lane.AUTHORITY, now));
        while (duty != null) {
            carryOut(duty);
            duty = seat.with((member, now) -> member.next(Lane.AUTHORITY, now));
        }
    }

    private <T> void carryOut(Duty<T> duty) {
        Moment sent = seat.now();
        seat.conclude(duty, duty.question().ask(primary, authority, TIMEOUT), null, sent);
    }

    private static Step.Acquire acquiring(long number) {
        return new Step.Acquire(new LockName("job"), new AcquisitionId(2, number), LEASE, false, 0, "test");
    }
}
