package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;

/** A call that may hang, on a thread of its own, which is interrupted in the end. */
final class Attempt implements AutoCloseable {

    private final FutureTask<Answer> task;
    private final Thread thread;
    private final ReentrantLock turn = new ReentrantLock();

    private boolean interrupted;
    private boolean stillInterrupted;
    private boolean ended;

    Attempt(Client client, Step step, Duration timeout) {
        this(client, step, timeout, false);
    }

    /** @param first whether the thread is interrupted before it asks */
    Attempt(Client client, Step step, Duration timeout, boolean first) {
        task = new FutureTask<>(() -> {
            if (first) {
                interrupt();
            }
            Answer answer = client.attempt(step, timeout);
            end();
            return answer;
        });
        thread = new Thread(task, "attempt");
        thread.setDaemon(true);
        thread.start();
    }

    boolean isOver() {
        return task.isDone();
    }

    /** To be called when it is over. */
    Answer answer() {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the call ended with an error", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Interrupts the thread unless its call is over. */
    void interrupt() {
        turn.lock();
        try {
            if (!ended) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            turn.unlock();
        }
    }

    private void end() {
        turn.lock();
        try {
            ended = true;
            stillInterrupted = Thread.currentThread().isInterrupted();
        } finally {
            turn.unlock();
        }
    }

    /** To be called when it is over. */
    void expectStillInterrupted() {
        turn.lock();
        try {
            if (interrupted && !stillInterrupted) {
                throw new Broken("a thread was interrupted, called the store, and is not interrupted any more");
            }
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
