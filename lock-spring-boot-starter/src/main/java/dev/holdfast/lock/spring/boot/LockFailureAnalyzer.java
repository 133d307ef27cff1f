package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains in two sentences, instead of a stack trace, why the locks kept an application from starting. */
final class LockFailureAnalyzer extends AbstractFailureAnalyzer<LockException> {

    /** For Spring. */
    LockFailureAnalyzer() {}

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LockException cause) {
        if (cause instanceof LockConfigurationException) {
            return new FailureAnalysis(
                    "The locks of Holdfast cannot be set up: " + cause.getMessage(),
                    String.valueOf(cause.getMessage()).startsWith("@Locked")
                            ? "Correct the method or its annotation, and start again."
                            : "Correct this, and start again.",
                    cause);
        }
        if (cause instanceof LockUnavailableException) {
            return new FailureAnalysis(
                    "The store of Holdfast's locks cannot be reached: " + cause.getMessage(),
                    "Start the store, or correct its address, and start again. An application whose locks cannot be reached"
                            + " does not start, unless holdfast.fail-fast is false.",
                    cause);
        }
        return null;
    }
}
