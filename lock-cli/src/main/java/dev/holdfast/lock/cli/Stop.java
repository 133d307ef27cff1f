package dev.holdfast.lock.cli;

import dev.holdfast.lock.cli.command.Signal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a signal goes: as long as no command runs it interrupts the thread that waits for the lock; then it goes to the
 * command, and what that makes of it is the command's affair.
 */
final class Stop {

    /** How long the withdrawal from a store that does not answer may hold up the end of this process. */
    private static final Duration WITHDRAWAL = Duration.ofSeconds(3);

    private final Thread waiting;
    private final ReentrantLock state = new ReentrantLock();
    private @Nullable Signal received;
    private boolean receivedInTime;
    private boolean started;
    private @Nullable Consumer<Signal> command;

    /** @param waiting the thread that waits for the lock */
    Stop(Thread waiting) {
        this.waiting = waiting;
    }

    /** Interrupts the calling thread from now on, when a signal comes. */
    static Stop ofThisThread() {
        Stop stop = new Stop(Thread.currentThread());
        Signal.listen(stop::receive);
        return stop;
    }

    /** A signal came; called by a thread that nobody waits for. */
    void receive(Signal signal) {
        Consumer<Signal> to;
        state.lock();
        try {
            to = command;
            if (to == null) {
                received = signal;
                receivedInTime = !started;
                waiting.interrupt();
            }
        } finally {
            state.unlock();
        }
        if (to != null) {
            to.accept(signal);
        } else {
            haltAfterWithdrawal(signal);
        }
    }

    private void haltAfterWithdrawal(Signal signal) {
        try {
            Thread.sleep(WITHDRAWAL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        state.lock();
        try {
            if (command == null) {
                Runtime.getRuntime().halt(signal.status());
            }
        } finally {
            state.unlock();
        }
    }

    /** The signal that came before there was a command. */
    Optional<Signal> received() {
        state.lock();
        try {
            return Optional.ofNullable(received);
        } finally {
            state.unlock();
        }
    }

    /**
     * From now on signals go to the command; to be called by the thread that waited.
     *
     * @param to takes a signal that comes from now on, or came once there was a process
     * @param missed takes one that came before; the process may not have been there to get it from the terminal
     */
    void forward(Consumer<Signal> to, Consumer<Signal> missed) {
        Signal early;
        Consumer<Signal> toEarly;
        state.lock();
        try {
            command = to;
            // The command has started: an interrupt that came too late to prevent it has become the command's signal.
            Thread.interrupted();
            early = received;
            toEarly = receivedInTime ? missed : to;
        } finally {
            state.unlock();
        }
        if (early != null) {
            toEarly.accept(early);
        }
    }

    /** There is a process: what a terminal sends from now on reaches it as well. */
    void started() {
        state.lock();
        try {
            started = true;
        } finally {
            state.unlock();
        }
    }
}
