package dev.holdfast.lock.internal.admin;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Goes through a lock's life at the store, with a name that nobody else uses: whatever a step needs is then there. */
final class Trial {

    private static final String OWNER = "lock doctor";
    private static final Duration CLOCKS_AGREE = Duration.ofSeconds(1);
    private static final Duration SIGNAL = Duration.ofSeconds(5);

    private final LockStore store;
    private final Duration timeout;
    private final Duration lease;
    private final SecureRandom random = new SecureRandom();
    private final LockName name;
    private final AcquisitionId first;
    private final AcquisitionId second;
    private final List<Finding> findings = new ArrayList<>();

    Trial(LockStore store, Duration timeout, Duration lease) {
        this.store = store;
        this.timeout = timeout;
        this.lease = lease;
        this.name = new LockName("holdfast-doctor-" + newId());
        this.first = newId();
        this.second = newId();
    }

    private AcquisitionId newId() {
        return new AcquisitionId(random.nextLong(), random.nextLong());
    }

    /** A step went wrong, and the rest makes no sense. */
    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }
    }

    List<Finding> findings() {
        try {
            steps();
        } catch (Failed e) {
            findings.add(Finding.error(
                    "steps",
                    String.valueOf(e.getMessage()),
                    "see that this user of the store has all the rights that the store's documentation names"));
            forget();
        }
        return findings;
    }

    private void steps() throws Failed {
        Instant before = Instant.now();
        expect(Answer.Granted.class, acquire(first, false));
        Instant after = Instant.now();
        long start = System.nanoTime();
        expect(Answer.Granted.class, new Step.Renew(name, first, lease));
        Duration call = Duration.ofNanos(System.nanoTime() - start);
        clock(before, after);
        boolean queues = store.capabilities().contains(Capability.QUEUE);
        expect(queues ? Answer.Waiting.class : Answer.Busy.class, acquire(second, true));
        if (queues && store.capabilities().contains(Capability.SIGNALS)) {
            handOverBySignal();
        } else {
            release(first);
            findings.add(Finding.note(
                    "waiting",
                    queues
                            ? "the store does not tell whose turn it is: waiters ask again and again"
                            : "the store has no queue: waiters are served in no order between processes, and ask again"
                                    + " and again",
                    ""));
        }
        expect(Answer.Granted.class, acquire(second, true));
        release(second);
        findings.add(Finding.fine(
                "steps",
                "a lock was acquired, renewed, waited for, handed over and released; a call takes " + millis(call)));
    }

    private void handOverBySignal() throws Failed {
        BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
        AutoCloseable subscription = store.signals(signals::add);
        try (subscription) {
            boolean listens = heard(signals, Signal.ANY);
            release(first);
            long start = System.nanoTime();
            if (listens && heard(signals, Signal.to(name, second))) {
                findings.add(Finding.fine(
                        "signals",
                        "a waiter is told of its turn within " + millis(Duration.ofNanos(System.nanoTime() - start))));
            } else {
                findings.add(Finding.warning(
                        "signals",
                        "a waiter was not told of its turn within " + SIGNAL.toSeconds()
                                + " s: waiters get the lock late, some seconds after it became free",
                        "see whether something on the way to the store, such as a connection pooler, keeps back what the"
                                + " server sends by itself"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("interrupted");
        } catch (Failed e) {
            throw e;
        } catch (Exception e) {
            findings.add(Finding.warning("signals", "listening failed: " + e, "see what keeps the store from it"));
        }
    }

    private static boolean heard(BlockingQueue<Signal> signals, Signal what) throws InterruptedException {
        long end = System.nanoTime() + SIGNAL.toNanos();
        for (long left = SIGNAL.toNanos(); left > 0; left = end - System.nanoTime()) {
            Signal signal = signals.poll(left, TimeUnit.NANOSECONDS);
            if (what.equals(signal)) {
                return true;
            }
        }
        return false;
    }

    /** The store dates what it grants, and so shows its clock. */
    private void clock(Instant before, Instant after) throws Failed {
        if (!store.capabilities().contains(Capability.INSPECT)) {
            findings.add(Finding.note("clock", "the store shows neither its clock nor who holds what", ""));
            return;
        }
        Instant since;
        try (Stream<LockInfo> shown = store.inspect(name.value(), timeout)) {
            since = shown.findFirst()
                    .flatMap(LockInfo::holder)
                    .map(LockInfo.Holder::since)
                    .orElseThrow(() -> new Failed("a lock that was just acquired is not shown"));
        } catch (RuntimeException e) {
            throw new Failed("looking at a lock failed: " + e.getMessage());
        }
        Duration ahead = since.isBefore(before)
                ? Duration.between(before, since)
                : since.isAfter(after) ? Duration.between(after, since) : Duration.ZERO;
        String difference = ahead.isZero()
                ? "the store's clock and this machine's show the same time"
                : "the store's clock is " + millis(ahead.abs()) + (ahead.isNegative() ? " behind" : " ahead of")
                        + " this machine's";
        if (ahead.abs().compareTo(CLOCKS_AGREE) <= 0) {
            findings.add(Finding.fine("clock", difference));
        } else {
            findings.add(Finding.note(
                    "clock",
                    difference + "; leases do not depend on it, but jobs that machines start by their own clocks do",
                    "synchronize the clocks, or give such a job a minimum hold that is longer than the difference"));
        }
    }

    private Step acquire(AcquisitionId id, boolean queue) {
        return new Step.Acquire(name, id, lease, queue, 0, OWNER);
    }

    private void release(AcquisitionId id) throws Failed {
        expect(Answer.Released.class, new Step.Release(name, id, Duration.ZERO, Duration.ZERO));
    }

    private void expect(Class<? extends Answer> expected, Step step) throws Failed {
        Answer answer;
        try {
            answer = store.apply(List.of(step), timeout).get(0);
        } catch (RuntimeException e) {
            throw new Failed(describe(step) + " failed: " + e.getMessage());
        }
        if (answer instanceof Answer.Unavailable unavailable) {
            throw new Failed(describe(step) + " failed: "
                    + Optional.ofNullable(unavailable.why().getMessage())
                            .orElse(unavailable.why().toString()));
        }
        if (!expected.isInstance(answer)) {
            throw new Failed(
                    describe(step) + " was answered with " + answer + " instead of " + expected.getSimpleName());
        }
    }

    private static String describe(Step step) {
        return "the step " + step.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** What a trial that failed may have left; if nobody answers, the lease and the place end by themselves. */
    private void forget() {
        try {
            release(second);
            release(first);
        } catch (Failed e) {
            findings.add(Finding.note("steps", "what the trial left at the store ends by itself", ""));
        }
    }

    private static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }
}
