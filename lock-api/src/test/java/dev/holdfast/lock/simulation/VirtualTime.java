package dev.holdfast.lock.simulation;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** Runs scheduled tasks in one thread, in an order that depends only on what was scheduled. */
final class VirtualTime {

    /** The wall clock at the start of the simulation, since 1970. */
    static final long WALL_START_NANOS = 1_767_000_000_000_000_000L;

    private record Event(long at, long number, Runnable what) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long number;

    /** Nanoseconds since the start of the simulation. */
    long now() {
        return now;
    }

    void after(long nanos, Runnable what) {
        events.add(new Event(now + Math.max(0, nanos), number++, what));
    }

    /** Passes this much time without running tasks; due tasks run late. */
    void standStill(Duration duration) {
        now += duration.toNanos();
    }

    /** Lets time pass until the condition holds, at most this long. */
    void run(Duration atMost, BooleanSupplier enough) {
        long end = now + atMost.toNanos();
        while (!enough.getAsBoolean()) {
            if (events.isEmpty() || events.peek().at() > end) {
                now = end;
                return;
            }
            Event event = events.remove();
            now = Math.max(now, event.at());
            event.what().run();
        }
    }
}
