package dev.holdfast.lock.spring.micrometer;

import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A question to the store on behalf of a value that is read: asked on a thread of its own, so that the reader does not wait for the
 * answer, and by one thread at a time. Thread-safe.
 */
final class BackgroundQuestion {

    /** Runs each task on a thread of its own. */
    static final Executor APART =
            task -> DaemonThreadFactory.unstarted("holdfast-metrics", task).start();

    private final Runnable question;
    private final Executor apart;
    private final AtomicBoolean isAsking = new AtomicBoolean();

    /**
     * A question that has not been asked.
     *
     * @param question takes the answer, and does not fail
     * @param apart mostly {@link #APART}
     */
    BackgroundQuestion(Runnable question, Executor apart) {
        this.question = question;
        this.apart = apart;
    }

    /** Asks, unless the question is under way. */
    void ask() {
        if (isAsking.compareAndSet(false, true)) {
            try {
                apart.execute(this::run);
            } catch (RuntimeException | Error e) { // such as "unable to create native thread": the next reader asks
                isAsking.set(false);
            }
        }
    }

    private void run() {
        try {
            question.run();
        } finally {
            isAsking.set(false);
        }
    }
}
