package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.protocol.StoreTask;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Config;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Minimum holds through transitions on real servers. The test makes the transitions; the member carries out its tasks for the
 * authority only, by a clock that the test sets ahead.
 */
class MinimumHoldTest {

    private static final Timing TIMING = new Timing(Duration.ofMinutes(1));
    private static final Duration LEASE = Duration.ofHours(1);
    private static final Duration MINIMUM = Duration.ofHours(8);
    private static final Duration TIMEOUT = TestMember.TIMEOUT;
    private static final Step.Acquire JOB = acquiring(1);
    private static final Step.Acquire AGAIN = acquiring(2);

    private static final AtomicInteger SPACES = new AtomicInteger();
    private static Servers servers;

    private final TestMember.SettableClock clock = new TestMember.SettableClock();
    private final Namespace namespace = new Namespace("nightly-" + SPACES.incrementAndGet());
    private final Config config =
            Servers.config(servers.configuration("composite", TIMING.lease().toSeconds() + "s"));
    private final AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config, true);
    private final PrimaryStore primary =
            new RedisLockProvider().primary(namespace, config).get();
    private final TestMember member = new TestMember(7, TIMING, clock, primary, authority);

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
        member.close();
        authority.close();
    }

    @Test
    void minimumHold_throughFailoversAndAbortedFailbacks_keepsTheLockBusy() {
        authority.found(TIMING.lease(), 1, TIMEOUT);
        learn(Mode.FALLBACK);
        assertThat(member.execute(JOB)).isInstanceOf(Answer.Granted.class);
        assertThat(member.execute(new Step.Release(JOB.name(), JOB.id(), MINIMUM, Duration.ZERO)))
                .isEqualTo(new Answer.Released(true));

        abortFailback();
        failOver();
        failOver();
        abortFailback();
        abortFailback();
        failOver();

        assertThat(regime().epoch()).isEqualTo(13);
    }

    @Test
    void minimumHold_whenTheLeaseWasLostBeforeRelease_isNotTransferred() {
        authority.found(TIMING.lease(), 1, TIMEOUT);
        learn(Mode.FALLBACK);
        Step.Acquire brief = new Step.Acquire(JOB.name(), JOB.id(), Duration.ofMillis(100), false, 0, "test");
        assertThat(member.execute(brief)).isInstanceOf(Answer.Granted.class);
        Await.until("its time is over", () -> member.execute(AGAIN) instanceof Answer.Granted);
        assertThat(member.execute(new Step.Release(AGAIN.name(), AGAIN.id(), Duration.ZERO, Duration.ZERO)))
                .isEqualTo(new Answer.Released(true));

        assertThat(member.execute(new Step.Release(JOB.name(), JOB.id(), MINIMUM, Duration.ZERO)))
                .isEqualTo(new Answer.Released(false));
        FailoverProvider.failBack(authority, primary, epoch());
        learn(Mode.PRIMARY);
        change(new Transition.Depose(epoch(), "a test wants it"));
        learn(Mode.DRAIN);
        change(new Transition.Open(epoch()));
        learn(Mode.FALLBACK);

        assertThat(member.execute(acquiring(3))).isInstanceOf(Answer.Granted.class);
    }

    /** FALLBACK, PREPARE, FALLBACK. */
    private void abortFailback() {
        change(new Transition.Prepare(epoch(), primary.examine(TIMEOUT).lineage()));
        learn(Mode.PREPARE);
        change(new Transition.Burn(epoch(), "a test wants it"));
        learn(Mode.FALLBACK);
        assertThat(member.execute(AGAIN)).isInstanceOf(Answer.Busy.class);
    }

    /** FALLBACK, PREPARE, PRIMARY, DRAIN, FALLBACK. */
    private void failOver() {
        FailoverProvider.failBack(authority, primary, epoch());
        learn(Mode.PRIMARY);
        assertThat(member.execute(AGAIN)).isInstanceOf(Answer.Busy.class);
        change(new Transition.Depose(epoch(), "a test wants it"));
        learn(Mode.DRAIN);
        change(new Transition.Open(epoch()));
        learn(Mode.FALLBACK);
        assertThat(member.execute(AGAIN)).isInstanceOf(Answer.Busy.class);
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

    /**
     * The member learns of the transition, and carries out its tasks. That takes an authority lease, so that nothing that it knew
     * before counts; during a failback it takes less, as the failback would be aborted by then.
     */
    private void learn(Mode mode) {
        int readings = mode == Mode.PREPARE ? 1 : 3;
        for (int reading = 0; reading < readings; reading++) {
            clock.advance(TIMING.readInterval());
            member.runTasks(StoreTask.Target.AUTHORITY);
            assertThat(regime().mode()).isEqualTo(mode);
        }
        assertThat(member.isIn(mode)).isTrue();
    }

    private static Step.Acquire acquiring(long number) {
        return new Step.Acquire(new LockName("job"), new AcquisitionId(2, number), LEASE, false, 0, "test");
    }
}
