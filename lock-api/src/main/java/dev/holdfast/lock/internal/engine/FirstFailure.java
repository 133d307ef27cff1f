package dev.holdfast.lock.internal.engine;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The first failure of several actions, each of which is tried whatever became of the others, with the later ones as suppressed. Used by
 * one thread.
 */
public final class FirstFailure {

    private @Nullable Throwable first;

    /** Runs the action; its failure, such as a lack of memory, is kept. */
    public void of(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            add(e);
        }
    }

    /** The result of the action; of one that fails this one, and its failure is kept. */
    public <T> T of(Supplier<T> action, T otherwise) {
        try {
            return action.get();
        } catch (RuntimeException | Error e) {
            add(e);
            return otherwise;
        }
    }

    void add(Throwable failure) {
        if (first == null) {
            first = failure;
        } else if (first != failure) { // the JVM may throw the same preallocated error twice
            first.addSuppressed(failure);
        }
    }

    /** Whether none has failed. */
    public boolean isEmpty() {
        return first == null;
    }

    /** Throws the first failure, if there was one. */
    public void rethrow() {
        if (first instanceof Error error) {
            throw error;
        } else if (first instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
