package dev.holdfast.lock.spring.boot.internal;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** The address of a store that the application has configured for itself, used unless Holdfast has its own address. */
public interface StoreAddress {

    /** The kind of the store. */
    StoreKind kind();

    /** Whether the application has configured one. */
    boolean isKnown();

    /**
     * The settings by Holdfast's keys.
     *
     * @throws dev.holdfast.lock.LockConfigurationException if Holdfast cannot connect in the configured way
     */
    Map<String, String> settings();

    /** The certificates of the application's own connections; null if they are those of Java, or it does not encrypt. */
    default @Nullable SslBundle sslBundle() {
        return null;
    }

    /** The reason why the application's configuration cannot be used, and what to do; empty if it can, or there is none. */
    default Optional<String> objection() {
        return Optional.empty();
    }
}
