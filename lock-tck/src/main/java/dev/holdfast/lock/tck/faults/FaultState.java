package dev.holdfast.lock.tck.faults;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** The faults of each direction at this moment. Thread-safe. */
final class FaultState {

    private enum Fault {
        NONE,
        HOLD,
        DROP
    }

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();
    private final Map<Direction, Fault> faults = new EnumMap<>(Direction.class);
    private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);
    private final Map<Direction, Integer> held = new EnumMap<>(Direction.class);
    private boolean refusing;

    void pass() {
        change(() -> {
            faults.clear();
            delays.clear();
            refusing = false;
        });
    }

    void hold(Direction direction) {
        change(() -> faults.put(direction, Fault.HOLD));
    }

    void drop(Direction direction) {
        change(() -> faults.put(direction, Fault.DROP));
    }

    void delay(Direction direction, Duration by) {
        change(() -> delays.put(direction, by));
    }

    void refuse() {
        change(() -> refusing = true);
    }

    void wake() {
        change(() -> {});
    }

    private void change(Runnable change) {
        mutex.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    boolean refuses() {
        mutex.lock();
        try {
            return refusing;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Waits until a piece of data may pass, and returns whether it may; otherwise it must be dropped.
     *
     * @param arrivedAt when the piece arrived, as {@link System#nanoTime()}: its delay counts from then
     */
    boolean letThrough(Direction direction, long arrivedAt, BooleanSupplier abandoned) throws InterruptedException {
        mutex.lock();
        try {
            held.merge(direction, 1, Integer::sum);
            changed.signalAll();
            while (!abandoned.getAsBoolean()) {
                long delay = delays.getOrDefault(direction, Duration.ZERO).toNanos();
                long left = arrivedAt + delay - System.nanoTime();
                Fault fault = faults.getOrDefault(direction, Fault.NONE);
                if (fault == Fault.DROP) {
                    return false;
                } else if (fault == Fault.HOLD) {
                    changed.await();
                } else if (left > 0) {
                    long unused = changed.awaitNanos(left);
                } else {
                    return true;
                }
            }
            return false;
        } finally {
            held.merge(direction, -1, Integer::sum);
            mutex.unlock();
        }
    }

    boolean awaitHeld(Direction direction, Duration limit) throws InterruptedException {
        mutex.lock();
        try {
            long left = limit.toNanos();
            while (held.getOrDefault(direction, 0) == 0 || faults.get(direction) != Fault.HOLD) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            mutex.unlock();
        }
    }
}
