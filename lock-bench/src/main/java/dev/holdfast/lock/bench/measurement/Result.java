package dev.holdfast.lock.bench.measurement;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A measured value, or the reason why there is none.
 *
 * @param value null unless the status is MEASURED
 * @param reason why there is no value; empty if there is one
 */
public record Result<T>(Status status, @Nullable T value, String reason) {

    /** How the measurement ended. */
    public enum Status {
        MEASURED,
        TIMED_OUT,
        FAILED,
        /** Something that it needs does not exist. */
        SKIPPED
    }

    public static <T> Result<T> of(T value) {
        return new Result<>(Status.MEASURED, value, "");
    }

    public static <T> Result<T> missing(Status status, String reason) {
        return new Result<>(status, null, reason);
    }

    public Optional<T> measured() {
        return Optional.ofNullable(value);
    }

    /** The reason why there is no value. */
    public Optional<String> missing() {
        return status == Status.MEASURED ? Optional.empty() : Optional.of(reason);
    }
}
