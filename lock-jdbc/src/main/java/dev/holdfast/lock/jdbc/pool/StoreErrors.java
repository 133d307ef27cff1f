package dev.holdfast.lock.jdbc.pool;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.support.CauseText;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The exceptions of a store for the errors of its database, without secrets. */
public final class StoreErrors {

    private StoreErrors() {}

    /**
     * The exception for a store that could not be opened: a setting is wrong, or the database is unreachable.
     *
     * @param meaning of the failure
     * @param settings names the settings to check
     */
    public static LockException opening(JdbcUrl url, SQLException failure, ErrorClass meaning, String settings) {
        String message = "cannot open " + url + ": " + url.maskIn(CauseText.of(failure)) + "; see " + settings;
        SQLException cause = withoutSecrets(url, failure);
        return meaning.isSetting()
                ? new LockConfigurationException(message, cause)
                : new LockUnavailableException(message, cause);
    }

    /** The failure, or null if it contains a secret: a driver quotes a URL that it cannot parse. */
    private static @Nullable SQLException withoutSecrets(JdbcUrl url, SQLException failure) {
        return containsSecret(url, failure) ? null : failure;
    }

    /**
     * The exception for a call that failed.
     *
     * @param timeout of the call
     */
    public static LockUnavailableException unavailable(JdbcUrl url, SQLException failure, Duration timeout) {
        return new LockUnavailableException(
                "a call to " + url + " failed: " + url.maskIn(CauseText.of(failure)) + "; its timeout was "
                        + DurationText.format(timeout),
                withoutSecrets(url, failure));
    }

    private static boolean containsSecret(JdbcUrl url, Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            String message = String.valueOf(at.getMessage());
            if (!url.maskIn(message).equals(message)) {
                return true;
            }
        }
        return false;
    }
}
