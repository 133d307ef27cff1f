package dev.holdfast.lock.cli.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Routes signals: while no command runs, a signal interrupts the thread that waits for the lock; from then on it goes to the
 * command, which decides what it means.
 *
 * <p>Thread-safe.
 */
public final class SignalRouter {

    /** How long a store that does not answer may delay the end of this process while the request is withdrawn. */
    private static final Duration WITHDRAWAL_TIMEOUT = Duration.ofSeconds(3);
    /** Waited for in parts: while the machine stands still, one part of it passes, and not the time for the withdrawal. */
    private static final int PARTS = 30;

    private final Thread waiting;
    private final IntConsumer halt;
    private final ReentrantLock state = new ReentrantLock();
    private @Nullable UnixSignal received;
    private boolean receivedBeforeStart;
    /** The signals that end nothing and arrived once the command's process existed. */
    private final List<UnixSignal> harmless = new ArrayList<>();

    private boolean started;
    private @Nullable Consumer<UnixSignal> command;

    /** @param waiting the thread that waits for the lock */
    public SignalRouter(Thread waiting) {
        this(waiting, Runtime.getRuntime()::halt);
    }

    /**
     * For tests.
     *
     * @param halt ends this process with an exit status
     */
    SignalRouter(Thread waiting, IntConsumer halt) {
        this.waiting = waiting;
        this.halt = halt;
    }

    /** Starts routing the signals of this process; they interrupt the calling thread. */
    public static SignalRouter forCurrentThread() {
        SignalRouter router = new SignalRouter(Thread.currentThread());
        UnixSignal.listen(EnumSet.allOf(UnixSignal.class), router::receive);
        return router;
    }

    /** Takes a signal, on a thread that may block. */
    void receive(UnixSignal signal) {
        Consumer<UnixSignal> target;
        state.lock();
        try {
            target = command;
            if (target == null && !signal.ends()) {
                if (started) {
                    harmless.add(signal);
                }
                return;
            }
            if (target == null) {
                received = signal;
                receivedBeforeStart = !started;
                waiting.interrupt();
            }
        } finally {
            state.unlock();
        }
        if (target != null) {
            target.accept(signal);
        } else {
            haltUnlessWithdrawn(signal);
        }
    }

    private void haltUnlessWithdrawn(UnixSignal signal) {
        try {
            for (int part = 0; part < PARTS; part++) {
                Thread.sleep(WITHDRAWAL_TIMEOUT.toMillis() / PARTS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        state.lock();
        try {
            if (command == null) {
                halt.accept(signal.exitStatus());
            }
        } finally {
            state.unlock();
        }
    }

    /** The signal that arrived before there was a command. */
    public Optional<UnixSignal> received() {
        state.lock();
        try {
            return Optional.ofNullable(received);
        } finally {
            state.unlock();
        }
    }

    /** Notes that the command's process exists: the terminal's signals reach it from now on. */
    public void commandStarted() {
        state.lock();
        try {
            started = true;
        } finally {
            state.unlock();
        }
    }

    /**
     * Routes signals to the command from now on; called by the thread that waited.
     *
     * @param target takes every signal that arrives from now on, or arrived once the process existed
     * @param missed takes a signal that arrived earlier: the terminal may not have sent it to the process
     */
    public void routeTo(Consumer<UnixSignal> target, Consumer<UnixSignal> missed) {
        UnixSignal early;
        List<UnixSignal> others;
        Consumer<UnixSignal> earlyTarget;
        state.lock();
        try {
            command = target;
            // The command has started: an interrupt that came too late to prevent that becomes the command's signal.
            Thread.interrupted();
            early = received;
            others = List.copyOf(harmless);
            earlyTarget = receivedBeforeStart ? missed : target;
        } finally {
            state.unlock();
        }
        if (early != null) {
            earlyTarget.accept(early);
        }
        others.forEach(target);
    }
}
