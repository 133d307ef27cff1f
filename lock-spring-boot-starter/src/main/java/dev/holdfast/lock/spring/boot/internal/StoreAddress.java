package dev.holdfast.lock.spring.boot.internal;

import java.util.Map;

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
}
