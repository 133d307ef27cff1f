package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the kit cannot observe exactly of the memory store: times, and what is kept about names. */
@Tag("first-build")
class MemorySpaceTest {

    private static final LockName JOB = new LockName("job");
    private static final AcquisitionId ONE = new AcquisitionId(0, 1);
    private static final AcquisitionId TWO = new AcquisitionId(0, 2);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration NONE = Duration.ZERO;

    private Instant now = Instant.parse("2026-01-02T03:04:05.678901234Z");
    private final MemorySpace space = new MemorySpace(() -> now);
    private final LockStore store = space.open();

    @Test
    void token_isTheClockInMicrosecondsOrOneMoreThanTheLast() {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);

        assertThat(acquire(ONE)).isEqualTo(new LockReply.Granted(micros, LEASE));
        release(ONE, NONE, NONE);
        assertThat(acquire(TWO)).isEqualTo(new LockReply.Granted(micros + 1, LEASE));
        release(TWO, NONE, NONE);
        now = now.minus(Duration.ofDays(1));
        assertThat(acquire(ONE)).isEqualTo(new LockReply.Granted(micros + 2, LEASE));
        assertThat(ask(new LockCommand.Acquire(new LockName("other"), TWO, LEASE, false, micros + 100, "")))
                .isEqualTo(new LockReply.Granted(micros + 101, LEASE));
    }

    @Test
    void lease_expiresExactlyAtItsEnd() {
        acquire(ONE);
        now = now.plus(LEASE).minusNanos(1);
        assertThat(acquire(ONE)).extracting("remaining").isEqualTo(Duration.ofNanos(1));
        assertThat(acquire(TWO)).isEqualTo(new LockReply.Busy(Duration.ofNanos(1)));

        now = now.plusNanos(1);

        assertThat(ask(new LockCommand.Renew(JOB, ONE, LEASE))).isEqualTo(new LockReply.Gone());
        assertThat(acquire(ONE)).isEqualTo(new LockReply.Gone());
        assertThat(acquire(TWO)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void minimumHold_endsExactlyAtItsEnd() {
        acquire(ONE);
        now = now.plusSeconds(1);
        assertThat(release(ONE, Duration.ofSeconds(3), NONE)).isEqualTo(new LockReply.Released(true));
        now = now.plusSeconds(2).minusNanos(1);
        assertThat(acquire(TWO)).isEqualTo(new LockReply.Busy(Duration.ofNanos(1)));

        now = now.plusNanos(1);

        assertThat(acquire(TWO)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void tombstone_lastsExactlyAsLongAsAsked() {
        release(ONE, NONE, Duration.ofSeconds(7));
        now = now.plusSeconds(7).minusNanos(1);
        assertThat(acquire(ONE)).isEqualTo(new LockReply.Gone());

        now = now.plusNanos(1);

        assertThat(acquire(ONE)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void idleNames_areDropped() {
        IntStream.range(0, 1000).forEach(i -> {
            LockName name = new LockName("n" + i);
            ask(new LockCommand.Acquire(name, ONE, LEASE, false, 0, ""));
            if (i % 2 == 0) {
                ask(new LockCommand.Release(name, ONE, i % 4 == 0 ? LEASE : NONE, i % 8 == 2 ? LEASE : NONE));
            }
        });
        assertThat(space.namesInUse()).isEqualTo(875);

        now = now.plus(LEASE);
        assertThat(space.namesInUse())
                .as("tombstones of expired leases last for one more lease")
                .isEqualTo(500);
        now = now.plus(LEASE);
        assertThat(space.namesInUse()).isZero();
    }

    @Test
    void close_keepsTheLocks() {
        acquire(ONE);
        store.close();
        store.close();

        assertThat(acquire(ONE)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(space.open().execute(List.of(new LockCommand.Acquire(JOB, TWO, LEASE, false, 0, "")), LEASE))
                .first()
                .isInstanceOf(LockReply.Busy.class);
    }

    private LockReply acquire(AcquisitionId id) {
        return ask(new LockCommand.Acquire(JOB, id, LEASE, false, 0, ""));
    }

    private LockReply release(AcquisitionId id, Duration minimumHold, Duration tombstone) {
        return ask(new LockCommand.Release(JOB, id, minimumHold, tombstone));
    }

    private LockReply ask(LockCommand command) {
        return store.execute(List.of(command), Duration.ofSeconds(10)).get(0);
    }
}
