package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.RegimeEvent.Kind;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.RedisWay;
import dev.holdfast.lock.redis.server.ServerHeart;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One of three processes reaches nobody, or another server: that deposes nobody whom the other two reach. */
@Execution(ExecutionMode.CONCURRENT)
class MajorityTest {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(12));

    /** Whoever wanted to depose the primary would have done so by then. */
    private static final Duration A_WHILE = TIMING.reading().multipliedBy(4);

    private static Composites composites;

    @BeforeAll
    static void start() {
        composites = new Composites(TIMING.lease());
    }

    @AfterAll
    static void stop() {
        composites.close();
    }

    @Test
    void whoIsCutOffAloneDeposesNobody() throws Exception {
        DatabaseHeart.steadily(composites.postgres(), TIMING, pulse -> {
            pulse.feel(new ServerHeart(composites.redis()));
            try (FaultyProxy way = new FaultyProxy(composites.redis().address())) {
                oneOfThreeFails("cut-off-" + pulse.attempt(), way, way::cut, way::pass);
            }
        });
    }

    @Test
    void whoIsLedToAnotherServerDeposesNobody() throws Exception {
        DatabaseHeart.steadily(composites.postgres(), TIMING, pulse -> {
            pulse.feel(new ServerHeart(composites.redis()));
            try (RedisServer another = RedisServer.own();
                    FaultyProxy way = new FaultyProxy(composites.redis().address())) {
                oneOfThreeFails(
                        "misled-" + pulse.attempt(),
                        way,
                        () -> way.leadTo(another.address()),
                        () -> way.leadTo(composites.redis().address()));
            }
        });
    }

    private static void oneOfThreeFails(String namespace, FaultyProxy way, Runnable fault, Runnable repair)
            throws Exception {
        Properties through = composites.configuration(namespace);
        through.setProperty("lock.redis.uri", RedisWay.uri(composites.redis(), way));
        try (Locks one = composites.open(namespace);
                Locks two = composites.open(namespace);
                Locks three = composites.open(through)) {
            Heard heard = Heard.of(three);
            Heard ofOne = Heard.of(one);
            long epoch = composites.epoch(namespace);
            three.named("first").acquire(LONG).close();
            Lease lease = two.named("held").acquire(LONG);

            fault.run();
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> three.named("job").tryAcquire());
            heard.await(Kind.PRIMARY_SUSPECTED);
            Awaiting.until("it says so", () -> composites.suspecting(namespace) == 1);

            long since = System.nanoTime();
            Awaiting.until("the others go on for a while", () -> {
                one.named("job").acquire(LONG).close();
                return System.nanoTime() - since > A_WHILE.toNanos();
            });
            assertThat(composites.mode(namespace)).isEqualTo("PRIMARY");
            assertThat(composites.epoch(namespace)).isEqualTo(epoch);
            assertThat(ofOne.all()).isEmpty();
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> three.named("job").tryAcquire());

            repair.run();

            Awaiting.until("it is granted again", () -> {
                try (Lease granted = three.named("job").acquire(LONG)) {
                    return granted.isHeld();
                } catch (LockUnavailableException e) {
                    return false;
                }
            });
            assertThat(composites.epoch(namespace)).isEqualTo(epoch);
            assertThat(lease.release()).isTrue();
        }
    }
}
