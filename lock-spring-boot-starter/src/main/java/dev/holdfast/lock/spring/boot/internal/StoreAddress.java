package dev.holdfast.lock.spring.boot.internal;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** The address of a store that the application has configured for itself, to be taken unless Holdfast has an address of its own. */
public interface StoreAddress {

    /** Which store is there. */
    StoreKind kind();

    /** Whether the application has configured one. */
    boolean isKnown();

    /**
     * The settings by Holdfast's keys.
     *
     * @throws dev.holdfast.lock.LockConfigurationException if Holdfast cannot connect in the way that is configured
     */
    Map<String, String> settings();

    /** The certificates of the application's own connections; null if they are those of Java, or it does not encrypt. */
    default @Nullable SslBundle sslBundle() {
        return null;
    }

    /** Why what the application has configured cannot be taken, and what to do; empty if it can, or there is nothing. */
    default Optional<String> objection() {
        return Optional.empty();
    }
}
