package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.protocol.StoreTask;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Minimum holds through transitions on real servers. The test makes the transitions; the member carries out its tasks for the
 * authority only, by a clock that the test sets ahead.
 */
@Tag("second-build")
class MinimumHoldTest {

    private static final Timing TIMING = new Timing(Duration.ofMinutes(10)); // beside which a standstill is short
    private static final Duration LEASE = Duration.ofHours(1);
    private static final Duration MINIMUM = Duration.ofHours(8);
    private static final Duration TIMEOUT = TestMember.TIMEOUT;
    private static final LockCommand.Acquire JOB = acquiring(1);
    private static final LockCommand.Acquire AGAIN = acquiring(2);

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
        authority.initialize(TIMING.lease(), 1, TIMEOUT);
        learn(FailoverPhase.FALLBACK);
        assertThat(member.execute(JOB)).isInstanceOf(LockReply.Granted.class);
        assertThat(member.execute(new LockCommand.Release(JOB.name(), JOB.id(), MINIMUM, Duration.ZERO)))
                .isEqualTo(new LockReply.Released(true));

        abortFailback();
        failOver();
        failOver();
        abortFailback();
        abortFailback();
        failOver();

        assertThat(authorityState().epoch()).isEqualTo(13);
    }

    @Test
    void minimumHold_whenTheLeaseWasLostBeforeRelease_isNotTransferred() {
        authority.initialize(TIMING.lease(), 1, TIMEOUT);
        learn(FailoverPhase.FALLBACK);
        LockCommand.Acquire brief =
                new LockCommand.Acquire(JOB.name(), JOB.id(), Duration.ofMillis(100), false, 0, "test");
        assertThat(member.execute(brief)).isInstanceOf(LockReply.Granted.class);
        Await.until("its time is over", () -> member.execute(AGAIN) instanceof LockReply.Granted);
        assertThat(member.execute(new LockCommand.Release(AGAIN.name(), AGAIN.id(), Duration.ZERO, Duration.ZERO)))
                .isEqualTo(new LockReply.Released(true));

        assertThat(member.execute(new LockCommand.Release(JOB.name(), JOB.id(), MINIMUM, Duration.ZERO)))
                .isEqualTo(new LockReply.Released(false));
        FailoverProvider.failBack(authority, primary, epoch());
        learn(FailoverPhase.PRIMARY);
        change(new Transition.DrainPrimary(epoch(), "a test wants it"));
        learn(FailoverPhase.DRAINING);
        change(new Transition.ActivateFallback(epoch()));
        learn(FailoverPhase.FALLBACK);

        assertThat(member.execute(acquiring(3))).isInstanceOf(LockReply.Granted.class);
    }

    /** FALLBACK, PREPARE, FALLBACK. */
    private void abortFailback() {
        change(new Transition.BeginFailback(epoch(), primary.health(TIMEOUT).replicationId()));
        learn(FailoverPhase.FAILING_BACK);
        change(new Transition.AbortFailback(epoch(), "a test wants it"));
        learn(FailoverPhase.FALLBACK);
        assertThat(member.execute(AGAIN)).isInstanceOf(LockReply.Busy.class);
    }

    /** FALLBACK, PREPARE, PRIMARY, DRAIN, FALLBACK. */
    private void failOver() {
        FailoverProvider.failBack(authority, primary, epoch());
        learn(FailoverPhase.PRIMARY);
        assertThat(member.execute(AGAIN)).isInstanceOf(LockReply.Busy.class);
        change(new Transition.DrainPrimary(epoch(), "a test wants it"));
        learn(FailoverPhase.DRAINING);
        change(new Transition.ActivateFallback(epoch()));
        learn(FailoverPhase.FALLBACK);
        assertThat(member.execute(AGAIN)).isInstanceOf(LockReply.Busy.class);
    }

    private void change(Transition transition) {
        assertThat(authority.transition(transition, TIMEOUT))
                .as("%s", transition)
                .isTrue();
    }

    private AuthorityState authorityState() {
        return authority.peek(TIMEOUT).map(AuthorityReading::state).orElseThrow();
    }

    private long epoch() {
        return authorityState().epoch();
    }

    /**
     * The member learns of the transition, and carries out its tasks. That takes an authority lease, so that nothing that it knew
     * before counts; during a failback it takes less, as the failback would be aborted by then.
     */
    private void learn(FailoverPhase phase) {
        int readings = phase == FailoverPhase.FAILING_BACK ? 1 : 3;
        for (int reading = 0; reading < readings; reading++) {
            clock.advance(TIMING.readInterval());
            member.runTasks(StoreTask.Target.AUTHORITY);
            assertThat(authorityState().phase()).isEqualTo(phase);
        }
        assertThat(member.isIn(phase)).isTrue();
    }

    private static LockCommand.Acquire acquiring(long number) {
        return new LockCommand.Acquire(new LockName("job"), new AcquisitionId(2, number), LEASE, false, 0, "test");
    }
}
