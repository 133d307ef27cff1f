package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Base of tests of events: the test controls time and threads, and one listener records its events. */
abstract class ScriptedEvents {

    final Queue<Runnable> threads = new ArrayDeque<>();
    DualClockInstant now = new DualClockInstant(0, 0);
    final ListenerNotifier events = new ListenerNotifier(() -> now, threads::add);

    /** A listener that records its events. */
    static class Notes implements LockListener {
        final List<String> names = new ArrayList<>();

        @Override
        public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
            names.add(name);
        }
    }

    final Notes notes = new Notes();

    final void put(String name) {
        put(name, false);
    }

    final void put(String name, boolean rare) {
        events.put(
                listener -> listener.acquireFailed(name, LeaseKind.EXCLUSIVE, AcquireFailure.BUSY, Duration.ZERO),
                rare);
    }

    final void runAll() {
        for (Runnable task = threads.poll(); task != null; task = threads.poll()) {
            task.run();
        }
    }
}
