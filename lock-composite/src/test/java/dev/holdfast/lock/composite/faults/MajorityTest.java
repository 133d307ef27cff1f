package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static dev.holdfast.lock.composite.faults.Composites.TIMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.RegimeEvent.Kind;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.RedisWay;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One of three processes reaches nothing, or another server: that deposes no primary that the other two reach. */
@Execution(ExecutionMode.CONCURRENT)
class MajorityTest {

    private static Composites composites;

    @BeforeAll
    static void start() {
        composites = new Composites();
    }

    @AfterAll
    static void stop() {
        composites.close();
    }

    @Test
    void aProcessThatIsCutOffAloneDeposesNothing() throws Exception {
        try (FaultyProxy way = new FaultyProxy(composites.redis().address())) {
            oneOfThreeFails("cut-off", way, way::cut, way::pass);
        }
    }

    @Test
    void aProcessThatIsLedToAnotherServerDeposesNothing() throws Exception {
        try (RedisServer another = RedisServer.own();
                FaultyProxy way = new FaultyProxy(composites.redis().address())) {
            oneOfThreeFails(
                    "misled",
                    way,
                    () -> way.leadTo(another.address()),
                    () -> way.leadTo(composites.redis().address()));
        }
    }

    private static void oneOfThreeFails(String namespace, FaultyProxy way, Runnable fault, Runnable repair)
            throws Exception {
        Properties through = composites.configuration(namespace);
        through.setProperty("lock.redis.uri", RedisWay.uri(composites.redis(), way));
        through.setProperty("lock.call-timeout", "1s");
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
            composites.pass(namespace, "it suspects Redis", () -> heard.all().contains(Kind.PRIMARY_SUSPECTED));
            composites.pass(namespace, "it says so", () -> composites.suspecting(namespace) == 1);

            composites.pass(namespace, TIMING.lease().multipliedBy(3));
            one.named("job").acquire(LONG).close();
            assertThat(composites.mode(namespace)).isEqualTo("PRIMARY");
            assertThat(composites.epoch(namespace)).isEqualTo(epoch);
            assertThat(ofOne.all()).isEmpty();
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> three.named("job").tryAcquire());

            repair.run();

            composites.pass(namespace, "it suspects nothing", () -> composites.suspecting(namespace) == 0);
            three.named("job").acquire(LONG).close();
            assertThat(composites.epoch(namespace)).isEqualTo(epoch);
            assertThat(lease.release()).isTrue();
        }
    }
}
