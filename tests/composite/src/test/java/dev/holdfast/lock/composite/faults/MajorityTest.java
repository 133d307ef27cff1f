package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static dev.holdfast.lock.composite.faults.Composites.TIMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.FailoverEvent.Kind;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One of three processes reaches nothing, or another server: a primary that the other two reach is not drained. */
@Tag("second-build")
@Execution(ExecutionMode.CONCURRENT)
class MajorityTest {

    private static final Composites COMPOSITES = Composites.shared();

    @Test
    void process_whenCutOffAlone_drainsNothing() throws Exception {
        try (FaultyProxy way = new FaultyProxy(COMPOSITES.redis().address())) {
            assertOneOfThreeDrainsNothing("cut-off", way, way::cut, way::pass);
        }
    }

    @Test
    void process_whenRoutedToAnotherServer_drainsNothing() throws Exception {
        try (RedisServer another = RedisServer.own();
                FaultyProxy way = new FaultyProxy(COMPOSITES.redis().address())) {
            assertOneOfThreeDrainsNothing(
                    "misled",
                    way,
                    () -> way.leadTo(another.address()),
                    () -> way.leadTo(COMPOSITES.redis().address()));
        }
    }

    private static void assertOneOfThreeDrainsNothing(
            String namespace, FaultyProxy way, Runnable fault, Runnable repair) throws Exception {
        Properties through = COMPOSITES.configuration(namespace);
        through.setProperty("lock.redis.uri", ProxiedRedis.uri(COMPOSITES.redis(), way));
        through.setProperty("lock.call-timeout", "1s");
        try (Locks one = COMPOSITES.open(namespace);
                Locks two = COMPOSITES.open(namespace);
                Locks three = COMPOSITES.open(through)) {
            EventRecorder events = EventRecorder.of(three);
            EventRecorder ofOne = EventRecorder.of(one);
            long epoch = COMPOSITES.epoch(namespace);
            Await.lease(three.named("first")).close();
            Lease lease = two.named("held").acquire(LONG);

            fault.run();
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> three.named("job").tryAcquire());
            COMPOSITES.pass(namespace, "it suspects Redis", () -> events.all().contains(Kind.PRIMARY_SUSPECTED));
            COMPOSITES.pass(namespace, "it says so", () -> COMPOSITES.suspecting(namespace) == 1);

            COMPOSITES.pass(namespace, TIMING.lease().multipliedBy(3));
            one.named("job").acquire(LONG).close();
            assertThat(COMPOSITES.mode(namespace)).isEqualTo("PRIMARY");
            assertThat(COMPOSITES.epoch(namespace)).isEqualTo(epoch);
            assertThat(ofOne.all()) // what its opening told may come late
                    .doesNotContain(Kind.PRIMARY_SUSPECTED, Kind.PRIMARY_DRAINING, Kind.FALLBACK_ACTIVE);
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> three.named("job").tryAcquire());

            repair.run();

            COMPOSITES.pass(namespace, "it suspects nothing", () -> COMPOSITES.suspecting(namespace) == 0);
            Await.lease(three.named("job")).close();
            assertThat(COMPOSITES.epoch(namespace)).isEqualTo(epoch);
            assertThat(lease.release()).isTrue();
        }
    }
}
