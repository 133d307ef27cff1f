package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.member.LazyPrimary;
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
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes with a wrong password for the primary. On real servers and a clock that the test sets ahead. */
@Tag("second-build")
class RefusedPrimaryTest {

    private static final Timing TIMING = new Timing(Duration.ofMinutes(2));
    /** Each lasts for one retry interval; together they last for three authority leases. */
    private static final int ROUNDS = 60;

    private static final AtomicInteger SPACES = new AtomicInteger();
    private static Servers servers;

    private final TestMember.SettableClock clock = new TestMember.SettableClock();
    private final Namespace namespace = new Namespace("refused-" + SPACES.incrementAndGet());
    private final AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config("right"), true);
    private final TestMember served = member(1, "right");
    private final TestMember refused = member(2, "wrong");
    private final TestMember another = member(3, "wrong");

    @BeforeAll
    static void start() {
        servers = Servers.sharing(RedisServer.own("user app on >right ~* &* +@all"));
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @AfterEach
    void close() {
        List.of(served, refused, another).forEach(TestMember::close);
        authority.close();
    }

    @Test
    void primary_whenItServesOneProcessAndRefusesMost_staysInPower() {
        activatePrimary();

        for (int round = 0; round < ROUNDS; round++) {
            runTasks(served, refused, another);
        }

        AuthorityReading reading = reading();
        assertThat(reading.state().epoch()).isEqualTo(2);
        assertThat(reading.state().phase()).isEqualTo(FailoverPhase.PRIMARY);
        assertThat(reading.members()).isEqualTo(3);
        assertThat(reading.suspecting()).isEqualTo(2);
        assertThat(acquire(served, 1)).isInstanceOf(LockReply.Granted.class);
        assertThat(acquire(refused, 2))
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        unavailable -> assertThat(unavailable.cause()).hasMessageContaining("WRONGPASS"));
    }

    @Test
    void primary_whenItRefusesEveryProcess_isDrainedAndTheFallbackGrants() {
        activatePrimary();

        for (int round = 0; round < ROUNDS && reading().state().phase() != FailoverPhase.FALLBACK; round++) {
            runTasks(refused, another);
        }

        assertThat(reading().state().cause()).contains("no process can use it", "WRONGPASS");
        runTasks(refused, another);
        assertThat(acquire(refused, 2)).isInstanceOf(LockReply.Granted.class);
    }

    private void activatePrimary() {
        authority.initialize(TIMING.lease(), 1, TestMember.TIMEOUT);
        served.primary().health(TestMember.TIMEOUT);
        FailoverProvider.failBack(authority, served.primary(), 1);
    }

    private AuthorityReading reading() {
        return authority.peek(TestMember.TIMEOUT).orElseThrow();
    }

    private void runTasks(TestMember... members) {
        clock.advance(TIMING.retryInterval());
        for (TestMember member : members) {
            member.runTasks(StoreTask.Target.values());
        }
    }

    private static Config config(String password) {
        Properties properties =
                servers.configuration("composite", TIMING.lease().toSeconds() + "s");
        properties.setProperty("lock.redis.username", "app");
        properties.setProperty("lock.redis.password", password);
        return Servers.config(properties);
    }

    private TestMember member(long number, String password) {
        LazyPrimary primary =
                new LazyPrimary(new RedisLockProvider().primary(namespace, config(password)), () -> {}, clock);
        return new TestMember(number, TIMING, clock, primary, authority);
    }

    private static LockReply acquire(TestMember member, long number) {
        return member.execute(new LockCommand.Acquire(
                new LockName("job"), new AcquisitionId(8, number), Duration.ofHours(1), false, 0, "test"));
    }
}
