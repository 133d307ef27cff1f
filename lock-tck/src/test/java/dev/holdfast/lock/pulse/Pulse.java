package dev.holdfast.lock.pulse;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Feels all the time whether this process goes on, and servers that it is told of: for how long each of them stood still at most,
 * though no test had it do so. Then a lease may have lapsed, or who is alive may have been missed, as is right, but not what a test
 * asks about.
 */
public final class Pulse implements AutoCloseable {

    private static final int ATTEMPTS = 5;

    private final List<Beat> beats = new CopyOnWriteArrayList<>();
    private volatile long noted;

    private final int attempt;

    /** Of this process; servers may follow. */
    public Pulse() {
        this(1);
    }

    private Pulse(int attempt) {
        this.attempt = attempt;
        begin(new Beat(() -> {}));
    }

    /** What a standstill may spoil. */
    @FunctionalInterface
    public interface Attempt {
        void make(Pulse pulse) throws Exception;
    }

    /**
     * Carries out what shows something only where nothing stands still for so long. A failure beside such a standstill shows
     * nothing: then it begins anew, a few times at most, and says so. Any other failure is one, and so is a broken {@link Always}.
     */
    public static void steadily(Duration standstill, Attempt attempt) throws Exception {
        for (int number = 1; ; number++) {
            try (Pulse pulse = new Pulse(number)) {
                try {
                    attempt.make(pulse);
                    return;
                } catch (Exception | AssertionError e) {
                    Duration longest = pulse.longest();
                    if (number == ATTEMPTS
                            || longest.compareTo(standstill) < 0
                            || Always.isBroken(e)
                            || !pulse.isSound()) {
                        throw e;
                    }
                    System.out.println("in vain, as something stood still for " + longest + ": " + e);
                }
            }
        }
    }

    /** Which attempt it feels, from one on. */
    public int attempt() {
        return attempt;
    }

    /** Feels this from now on, which has to answer first. */
    public void feel(Heart heart) {
        heart.beat();
        begin(new Beat(heart));
    }

    /** Feels nothing but this process any more: something else is about to be broken. */
    public void leave() {
        beats.stream().skip(1).forEach(Beat::end);
    }

    /** Something stood still for so long of which it is not this one that feels it. */
    public void note(Duration standstill) {
        noted = Math.max(noted, standstill.toNanos());
    }

    /** The longest standstill so far, also if it lasts. */
    public Duration longest() {
        long felt = beats.stream().mapToLong(Beat::longest).max().orElse(0);
        return Duration.ofNanos(Math.max(noted, felt));
    }

    /** Whether all that it feels with works: otherwise it tells nothing. */
    private boolean isSound() {
        return beats.stream().noneMatch(beat -> beat.isBroken);
    }

    private void begin(Beat beat) {
        beats.add(beat);
        Thread thread = new Thread(beat::goOn, "pulse");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        beats.forEach(Beat::end);
    }

    private static final class Beat {

        private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

        private final Heart heart;
        private volatile long latest = System.nanoTime();
        private volatile long longest;
        private volatile boolean over;
        private volatile boolean isBroken;

        Beat(Heart heart) {
            this.heart = heart;
        }

        void goOn() {
            try (Heart toTheEnd = heart) {
                while (!over) {
                    toTheEnd.beat();
                    beaten();
                    LockSupport.parkNanos(PERIOD_NANOS);
                }
            } catch (RuntimeException e) {
                isBroken = true;
                throw e;
            }
        }

        private synchronized void beaten() {
            if (!over) {
                longest = longest();
                latest = System.nanoTime();
            }
        }

        long longest() {
            return over ? longest : Math.max(longest, System.nanoTime() - latest);
        }

        private synchronized void end() {
            if (!over) {
                longest = longest();
                over = true;
            }
        }
    }
}
