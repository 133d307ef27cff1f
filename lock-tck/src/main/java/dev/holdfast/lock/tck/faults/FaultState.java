package dev.holdfast.lock.tck.faults;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** What happens to the data of each direction at this moment. */
final class Traffic {

    private enum Rule {
        PASS,
        HOLD,
        DROP
    }

    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private final Map<Direction, Rule> rules = new EnumMap<>(Direction.class);
    private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);
    private final Map<Direction, Integer> held = new EnumMap<>(Direction.class);
    private boolean refusing;

    void pass() {
        change(() -> {
            rules.clear();
            delays.clear();
            refusing = false;
        });
    }

    void hold(Direction direction) {
        change(() -> rules.put(direction, Rule.HOLD));
    }

    void drop(Direction direction) {
        change(() -> rules.put(direction, Rule.DROP));
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

    private void change(Runnable how) {
        guard.lock();
        try {
            how.run();
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }

    boolean refuses() {
        guard.lock();
        try {
            return refusing;
        } finally {
            guard.unlock();
        }
    }

    /** Returns when a piece of data may go on, or (false) is to be dropped. */
    boolean letThrough(Direction direction, BooleanSupplier abandoned) throws InterruptedException {
        guard.lock();
        try {
            held.merge(direction, 1, Integer::sum);
            changed.signalAll();
            long left = delays.getOrDefault(direction, Duration.ZERO).toNanos();
            while (!abandoned.getAsBoolean()) {
                Rule rule = rules.getOrDefault(direction, Rule.PASS);
                if (rule == Rule.DROP) {
                    return false;
                } else if (rule == Rule.HOLD) {
                    changed.await();
                } else if (left > 0 && delays.containsKey(direction)) {
                    left = changed.awaitNanos(left);
                } else {
                    return true;
                }
            }
            return false;
        } finally {
            held.merge(direction, -1, Integer::sum);
            guard.unlock();
        }
    }

    boolean awaitHeld(Direction direction, Duration limit) throws InterruptedException {
        guard.lock();
        try {
            long left = limit.toNanos();
            while (held.getOrDefault(direction, 0) == 0 || rules.get(direction) != Rule.HOLD) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            guard.unlock();
        }
    }
}
