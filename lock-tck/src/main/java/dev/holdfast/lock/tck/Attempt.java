package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A call that may hang, on a thread of its own, which is interrupted in the end. */
final class Attempt implements AutoCloseable {

    private final FutureTask<Answer> task;
    private final Thread thread;

    Attempt(Client client, Step step, Duration timeout) {
        task = new FutureTask<>(() -> client.attempt(step, timeout));
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

    @Override
    public void close() {
        thread.interrupt();
    }
}
