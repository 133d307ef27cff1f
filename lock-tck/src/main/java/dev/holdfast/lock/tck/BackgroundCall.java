package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;

/** A call to the store that may hang, on its own thread. Closing interrupts the thread. */
final class BackgroundCall implements AutoCloseable {

    private final FutureTask<List<LockReply>> task;
    private final Thread thread;
    private final ReentrantLock mutex = new ReentrantLock();

    private boolean interrupted;
    private boolean stillInterrupted;
    private boolean ended;

    BackgroundCall(StoreClient client, LockCommand command, Duration timeout) {
        this(client, List.of(command), timeout);
    }

    BackgroundCall(StoreClient client, List<LockCommand> commands, Duration timeout) {
        this(client, commands, timeout, false);
    }

    /** @param interruptedBefore whether the thread is interrupted before it calls the store */
    BackgroundCall(StoreClient client, List<LockCommand> commands, Duration timeout, boolean interruptedBefore) {
        task = new FutureTask<>(() -> {
            if (interruptedBefore) {
                interruptSelf();
            }
            List<LockReply> replies = client.tryExecuteAll(commands, timeout);
            end();
            return replies;
        });
        thread = ConcurrentCalls.start("background call", task);
    }

    boolean isOver() {
        return task.isDone();
    }

    /** The reply. To be called after the call has ended. */
    LockReply answer() {
        return answers().get(0);
    }

    /** The replies. To be called after the call has ended. */
    List<LockReply> answers() {
        return ConcurrentCalls.result(task, thread);
    }

    /** The stack of the thread, as a thread dump shows it. */
    String stack() {
        return HangGuard.stackOf(thread);
    }

    private void interruptSelf() {
        mutex.lock();
        try {
            interrupted = true;
            Thread.currentThread().interrupt();
        } finally {
            mutex.unlock();
        }
    }

    /** Interrupts the thread unless its call has ended. */
    void interrupt() {
        mutex.lock();
        try {
            if (!ended) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            mutex.unlock();
        }
    }

    private void end() {
        mutex.lock();
        try {
            ended = true;
            stillInterrupted = Thread.currentThread().isInterrupted();
        } finally {
            mutex.unlock();
        }
    }

    /** To be called after the call has ended. */
    void expectStillInterrupted() {
        mutex.lock();
        try {
            if (interrupted && !stillInterrupted) {
                throw new RuleBroken("a call to the store has cleared the interrupt of its thread");
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
