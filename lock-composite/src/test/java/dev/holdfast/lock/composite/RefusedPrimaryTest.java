package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.member.LazyPrimary;
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
import dev.holdfast.lock.spi.regime.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Processes with a wrong password for the primary. On real servers and a clock that the test sets ahead. */
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

        Reading reading = reading();
        assertThat(reading.regime().epoch()).isEqualTo(2);
        assertThat(reading.regime().mode()).isEqualTo(Mode.PRIMARY);
        assertThat(reading.members()).isEqualTo(3);
        assertThat(reading.suspecting()).isEqualTo(2);
        assertThat(acquire(served, 1)).isInstanceOf(Answer.Granted.class);
        assertThat(acquire(refused, 2))
                .isInstanceOfSatisfying(
                        Answer.Unavailable.class,
                        unavailable -> assertThat(unavailable.why()).hasMessageContaining("WRONGPASS"));
    }

    @Test
    void primary_whenItRefusesEveryProcess_isDrainedAndTheFallbackGrants() {
        activatePrimary();

        for (int round = 0; round < ROUNDS && reading().regime().mode() != Mode.FALLBACK; round++) {
            runTasks(refused, another);
        }

        assertThat(reading().regime().cause()).contains("no process can use it", "WRONGPASS");
        runTasks(refused, another);
        assertThat(acquire(refused, 2)).isInstanceOf(Answer.Granted.class);
    }

    private void activatePrimary() {
        authority.found(TIMING.lease(), 1, TestMember.TIMEOUT);
        served.primary().examine(TestMember.TIMEOUT);
        FailoverProvider.failBack(authority, served.primary(), 1);
    }

    private Reading reading() {
        return authority.look(TestMember.TIMEOUT).orElseThrow();
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

    private static Answer acquire(TestMember member, long number) {
        return member.execute(new Step.Acquire(
                new LockName("job"), new AcquisitionId(8, number), Duration.ofHours(1), false, 0, "test"));
    }
}
