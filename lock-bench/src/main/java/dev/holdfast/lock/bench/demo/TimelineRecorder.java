package dev.holdfast.lock.bench.demo;

import dev.holdfast.lock.bench.demo.Timeline.AuthorityChange;
import dev.holdfast.lock.bench.demo.Timeline.Fault;
import dev.holdfast.lock.bench.demo.Timeline.Holding;
import dev.holdfast.lock.bench.demo.Timeline.Side;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Prints the events and keeps them for the chart. Thread-safe. */
final class TimelineRecorder {

    /** The width of a line, in columns. */
    static final int WIDTH = 100;

    private static final long HANG_MILLIS = 120_000;

    private final PrintStream out;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private final Map<String, Long> asked = new HashMap<>();
    private final Map<String, Holding> held = new HashMap<>();
    private final List<Holding> ended = new ArrayList<>();
    private final List<AuthorityChange> authorityChanges = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int ready;
    private boolean closed;
    private long start = System.nanoTime();

    TimelineRecorder(PrintStream out) {
        this.out = out;
    }

    /** Starts the clock of the recording. */
    void begin() {
        change(() -> start = System.nanoTime());
    }

    void ready() {
        change(() -> ready++);
    }

    void asks(Side side, String process) {
        change(() -> {
            long now = System.nanoTime();
            asked.put(side + process, now);
            boolean isHeld = held.values().stream().anyMatch(holding -> holding.side() == side);
            print(now, side.title, process + (isHeld ? " asks for the lock and waits" : " asks for the lock"));
        });
    }

    void holds(Side side, String process, long at, long token, String grantedBy) {
        change(() -> {
            String others = held.values().stream()
                    .filter(holding -> holding.side() == side)
                    .map(holding -> ", WHILE " + holding.holder() + " HOLDS IT, TOO")
                    .findFirst()
                    .orElse("");
            long since = asked.getOrDefault(side + process, at);
            held.put(side + process, new Holding(side, process, since, at, Long.MAX_VALUE, token, grantedBy, false));
            print(at, side.title, process + " holds the lock, granted by " + grantedBy + others);
        });
    }

    void ends(Side side, String process, long at, boolean isLost) {
        change(() -> {
            @Nullable Holding holding = held.remove(side + process);
            if (holding != null) {
                ended.add(holding.ended(at, isLost));
                print(at, side.title, process + (isLost ? " learns that its lock is lost" : " releases the lock"));
            }
        });
    }

    void authorityChanges(String grants, long epoch, String cause) {
        change(() -> {
            AuthorityChange last = new AuthorityChange(grants, System.nanoTime());
            authorityChanges.add(last);
            String reason = grants.equals(Timeline.NO_STORE) ? ": " + cause : "";
            print(last.from(), Side.COMPOSITE.title, grants + " grants, epoch " + epoch + reason);
        });
    }

    void fault(char letter, String what) {
        change(() -> {
            Fault fault = new Fault(letter, what, System.nanoTime());
            faults.add(fault);
            print(fault.at(), "servers", what);
        });
    }

    /** Ends the recording. */
    void close() {
        change(() -> closed = true);
    }

    /** Ends every {@link #await} with a failure. */
    void fails(String reason) {
        change(() -> failures.add(reason));
    }

    void awaitReady(int count) throws InterruptedException {
        await(count + " ready processes", () -> ready == count);
    }

    void awaitAuthority(String store) throws InterruptedException {
        await(
                store + " as the store that grants",
                () -> !authorityChanges.isEmpty()
                        && authorityChanges
                                .get(authorityChanges.size() - 1)
                                .grants()
                                .equals(store));
    }

    boolean isHolding(Side side, String process) {
        return held.containsKey(side + process);
    }

    /** @throws IllegalStateException if something fails, or the condition does not become true */
    void await(String what, BooleanSupplier condition) throws InterruptedException {
        if (!isTrueWithin(HANG_MILLIS, condition)) {
            throw new IllegalStateException("not within two minutes: " + what);
        }
    }

    void pause(long millis) throws InterruptedException {
        isTrueWithin(millis, () -> false);
    }

    private boolean isTrueWithin(long millis, BooleanSupplier condition) throws InterruptedException {
        guard.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (!condition.getAsBoolean() && left > 0) {
                if (!failures.isEmpty()) {
                    throw new IllegalStateException(String.join("; ", failures));
                }
                left = changed.awaitNanos(left);
            }
            return condition.getAsBoolean();
        } finally {
            guard.unlock();
        }
    }

    Timeline timeline() {
        guard.lock();
        try {
            return new Timeline(
                    start, System.nanoTime(), List.copyOf(ended), List.copyOf(authorityChanges), List.copyOf(faults));
        } finally {
            guard.unlock();
        }
    }

    private void change(Runnable change) {
        guard.lock();
        try {
            if (!closed) {
                change.run();
                changed.signalAll();
            }
        } finally {
            guard.unlock();
        }
    }

    private void print(long at, String where, String what) {
        String prefix = String.format(Locale.ROOT, "%5.1f s  %-11s  ", (at - start) / 1e9, where);
        String rest = what;
        while (prefix.length() + rest.length() > WIDTH) {
            int end = Math.max(1, rest.lastIndexOf(' ', WIDTH - prefix.length()));
            out.println(prefix + rest.substring(0, end));
            prefix = " ".repeat(prefix.length());
            rest = rest.substring(end).strip();
        }
        out.println(prefix + rest);
    }
}
