package dev.holdfast.lock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** The futures of releases that no caller waits for. */
final class AsyncRelease {

    private AsyncRelease() {}

    /**
     * The result of a release, for the application. Completed on a thread that runs code of the application, never on one of the
     * engine: the next stages may take as long as they like. Completing it in another way, such as by {@code cancel}, does not
     * change the release.
     *
     * @param threads complete it; never fail
     */
    static CompletableFuture<Boolean> completedOn(Executor threads, CompletableFuture<Boolean> release) {
        CompletableFuture<Boolean> future = new CompletableFuture<>();
        CompletableFuture<Void> unused = release.handle((wasHeld, failure) -> {
            threads.execute(() -> complete(future, release));
            return null;
        });
        return future;
    }

    private static void complete(CompletableFuture<Boolean> future, CompletableFuture<Boolean> release) {
        try {
            future.complete(release.join());
        } catch (CompletionException e) {
            future.completeExceptionally(e.getCause() == null ? e : e.getCause());
        }
    }
}
