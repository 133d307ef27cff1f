package dev.holdfast.lock.bench.demo;

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

/** What happens: printed when it is heard of, and kept for the chart. Thread-safe. */
final class Story {

    static final int PAGE = 100;

    private static final long HANG_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final String SERVERS = "servers";

    private final PrintStream page;
    private final ReentrantLock turn = new ReentrantLock();
    private final Condition more = turn.newCondition();
    private final Map<String, Long> asked = new HashMap<>();
    private final Map<String, Holding> held = new HashMap<>();
    private final List<Holding> over = new ArrayList<>();
    private final List<Reign> reigns = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int ready;
    private boolean closed;
    private long start = System.nanoTime();

    Story(PrintStream page) {
        this.page = page;
    }

    /** From now on seconds are counted. */
    void begin() {
        change(() -> start = System.nanoTime());
    }

    void ready() {
        change(() -> ready++);
    }

    /** Somebody asks for the lock. */
    void asks(Side side, String who) {
        change(() -> {
            long now = System.nanoTime();
            asked.put(key(side, who), now);
            boolean isHeld = held.values().stream().anyMatch(holding -> holding.side() == side);
            tell(now, side.title(), who + (isHeld ? " asks for the lock, and waits" : " asks for the lock"));
        });
    }

    /** Somebody was told that it holds the lock. */
    void holds(Side side, String who, long at, long token, String grantedBy) {
        change(() -> {
            long since = asked.getOrDefault(key(side, who), at);
            String others = held.values().stream()
                    .filter(holding -> holding.side() == side)
                    .map(holding -> ", WHILE " + holding.holder() + " HOLDS IT, TOO")
                    .findFirst()
                    .orElse("");
            held.put(key(side, who), new Holding(side, who, since, at, Long.MAX_VALUE, token, grantedBy, false));
            tell(at, side.title(), who + " holds the lock, granted by " + grantedBy + others);
        });
    }

    /** Somebody does not hold the lock any more. */
    void ends(Side side, String who, long at, boolean isLost) {
        change(() -> {
            @Nullable Holding holding = held.remove(key(side, who));
            if (holding != null) {
                over.add(new Holding(
                        side, who, holding.asked(), holding.from(), at, holding.token(), holding.grantedBy(), isLost));
                tell(at, side.title(), who + (isLost ? " is told that its lock was lost" : " gives the lock back"));
            }
        });
    }

    /** Another grants. */
    void reigns(String grants, long epoch, String cause) {
        change(() -> {
            long now = System.nanoTime();
            reigns.add(new Reign(grants, now));
            tell(
                    now,
                    Side.COMPOSITE.title(),
                    grants + " grants, epoch " + epoch + (grants.equals(RegimeWatch.NOBODY) ? ": " + cause : ""));
        });
    }

    /** Something is done to the servers. */
    void fault(char letter, String what) {
        change(() -> {
            long now = System.nanoTime();
            faults.add(new Fault(letter, what, now));
            tell(now, SERVERS, what);
        });
    }

    /** What happens from now on is of no interest. */
    void close() {
        change(() -> closed = true);
    }

    /** It cannot go on like this. */
    void fails(String why) {
        change(() -> failures.add(why));
    }

    int readyOnes() {
        return ready;
    }

    boolean isHolding(Side side, String who) {
        return held.containsKey(key(side, who));
    }

    boolean isReigning(String grants) {
        return !reigns.isEmpty() && reigns.get(reigns.size() - 1).grants().equals(grants);
    }

    /**
     * Waits until this is so.
     *
     * @throws IllegalStateException if it does not come to that
     */
    void await(String what, BooleanSupplier condition) throws InterruptedException {
        turn.lock();
        try {
            long left = HANG_NANOS;
            while (!condition.getAsBoolean()) {
                if (!failures.isEmpty()) {
                    throw new IllegalStateException(String.join("; ", failures));
                } else if (left <= 0) {
                    throw new IllegalStateException("not within two minutes: " + what);
                }
                left = more.awaitNanos(left);
            }
        } finally {
            turn.unlock();
        }
    }

    /** Lets time pass. */
    void pass(long millis) throws InterruptedException {
        turn.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (left > 0) {
                left = more.awaitNanos(left);
            }
        } finally {
            turn.unlock();
        }
    }

    /** What happened until now. */
    Facts facts() {
        turn.lock();
        try {
            return new Facts(start, System.nanoTime(), List.copyOf(over), List.copyOf(reigns), List.copyOf(faults));
        } finally {
            turn.unlock();
        }
    }

    private void change(Runnable change) {
        turn.lock();
        try {
            if (!closed) {
                change.run();
                more.signalAll();
            }
        } finally {
            turn.unlock();
        }
    }

    private void tell(long at, String where, String what) {
        String before = String.format(Locale.ROOT, "%5.1f s  %-11s  ", Facts.length(at - start), where);
        String rest = what;
        while (before.length() + rest.length() > PAGE) {
            int end = Math.max(1, rest.lastIndexOf(' ', PAGE - before.length()));
            page.println(before + rest.substring(0, end));
            before = " ".repeat(before.length());
            rest = rest.substring(end).strip();
        }
        page.println(before + rest);
    }

    private static String key(Side side, String who) {
        return side + " " + who;
    }
}
