package dev.holdfast.lock.spring.boot.internal;

import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A question to the store, on a thread of its own. Callers that ask while it is under way share its answer. Thread-safe. */
final class SharedQuestion<T> {

    private final Supplier<T> question;
    private final AtomicReference<@Nullable CompletableFuture<T>> underWay = new AtomicReference<>();

    SharedQuestion(Supplier<T> question) {
        this.question = question;
    }

    /** Asks without waiting for the answer, unless no thread is available. */
    CompletableFuture<T> ask() {
        CompletableFuture<T> answer = new CompletableFuture<>();
        CompletableFuture<T> shared = underWay.compareAndExchange(null, answer);
        if (shared != null) {
            return shared;
        }
        try {
            Thread thread = DaemonThreadFactory.unstarted("holdfast-health", () -> answer(answer));
            thread.setContextClassLoader(Thread.currentThread().getContextClassLoader()); // the store may be opened now
            thread.start();
        } catch (RuntimeException | Error e) { // such as "unable to create native thread"
            answer(answer);
        }
        return answer;
    }

    private void answer(CompletableFuture<T> answer) {
        try {
            T found = question.get();
            underWay.set(null);
            answer.complete(found);
        } catch (RuntimeException | Error e) {
            underWay.set(null);
            answer.completeExceptionally(e);
        }
    }
}
