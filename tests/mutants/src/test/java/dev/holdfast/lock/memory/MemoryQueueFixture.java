package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The fixture of tests of the memory store's queue: a clock, and callers of one lock. */
abstract class MemoryQueueFixture {

    static final LockName JOB = new LockName("job");
    static final AcquisitionId ONE = new AcquisitionId(0, 1);
    static final AcquisitionId TWO = new AcquisitionId(0, 2);
    static final AcquisitionId THREE = new AcquisitionId(0, 3);
    static final AcquisitionId FOUR = new AcquisitionId(0, 4);
    static final Duration LEASE = Duration.ofMinutes(1);
    static final Duration MOMENT = Duration.ofNanos(1);
    static final Duration NONE = Duration.ZERO;

    Instant now = Instant.parse("2026-01-02T03:04:05.678901234Z");
    final MemorySpace space = new MemorySpace(() -> now);
    final LockStore store = space.open();

    static AcquisitionId number(int number) {
        return new AcquisitionId(0, number);
    }

    final void queue(AcquisitionId... ids) {
        for (AcquisitionId id : ids) {
            acquire(id);
        }
    }

    final LockReply acquire(AcquisitionId id) {
        return ask(new LockCommand.Acquire(JOB, id, LEASE, true, 0, ""));
    }

    final LockReply tryAcquire(AcquisitionId id) {
        return ask(new LockCommand.Acquire(JOB, id, LEASE, false, 0, ""));
    }

    final void release(AcquisitionId id, Duration minimumHold) {
        ask(new LockCommand.Release(JOB, id, minimumHold, NONE));
    }

    final LockReply ask(LockCommand command) {
        return store.execute(List.of(command), Duration.ofSeconds(10)).get(0);
    }
}
