package dev.holdfast.lock.internal.doctor;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Diagnoses a configuration: whether locks work with it, and what weakens their promises. */
public final class Doctor {

    /** A pause that is to be expected on any machine: a garbage collection, a snapshot, a busy neighbour. */
    private static final Duration STANDSTILL = Duration.ofSeconds(2);

    /** After a crash, a longer wait looks like a hang. */
    private static final Duration LONG = Duration.ofMinutes(10);

    /** What to do about a store that does not answer. */
    static final String REACH = "check that the store runs and that this machine can reach it";

    private final LockConfiguration configuration;
    private final Settings settings;
    private final Supplier<LockStore> opening;
    private final List<Finding> findings = new ArrayList<>();

    /** @param opening opens the store, or returns the one that is open */
    public Doctor(LockConfiguration configuration, Supplier<LockStore> opening) {
        this.configuration = configuration;
        this.settings = configuration.settings();
        this.opening = opening;
    }

    /** The message of a failure, or its class; never null. */
    public static String message(Throwable failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    /** Checks the settings, then a lock's life cycle on the store, then what the store says about itself. */
    public List<Finding> diagnose() {
        checkSettings();
        LockStore store;
        try {
            store = opening.get();
        } catch (LockConfigurationException e) {
            findings.add(Finding.error("configuration", message(e), "fix that setting and retry"));
            return findings;
        } catch (RuntimeException e) {
            findings.add(Finding.error("connection", message(e), REACH));
            return findings;
        }
        Duration timeout = settings.callTimeout();
        findings.addAll(new SmokeTest(store, timeout).run());
        try {
            findings.addAll(store.diagnose(timeout));
        } catch (RuntimeException e) {
            findings.add(Finding.error("store", message(e), "find out why the store does not answer"));
        }
        return findings;
    }

    private void checkSettings() {
        Duration lease = settings.lease();
        int before = findings.size();
        if (lease.compareTo(STANDSTILL) < 0) {
            findings.add(Finding.warning(
                    "settings",
                    "a lease of " + DurationText.format(lease) + " is lost whenever this process, or the store, stands"
                            + " still for that long",
                    "set " + EngineKeys.LEASE + " to a few seconds at least; 30s is usual"));
        } else if (lease.compareTo(LONG) > 0) {
            findings.add(Finding.note(
                    "settings",
                    "after a crash of its holder a lock stays busy for " + DurationText.format(lease),
                    "a lease is renewed for as long as it is held: set " + EngineKeys.LEASE
                            + " to less; 30s is usual"));
        }
        Duration call = settings.callTimeout();
        settings.find(EngineKeys.CALL_TIMEOUT)
                .filter(set -> set.compareTo(call) > 0)
                .ifPresent(set -> findings.add(Finding.note(
                        "settings",
                        EngineKeys.CALL_TIMEOUT + "=" + DurationText.format(set)
                                + " is more than a third of the lease: " + DurationText.format(call) + " applies",
                        "set it to less, or " + EngineKeys.LEASE + " to more")));
        if (!configuration.isCallersStore()
                && settings.find(EngineKeys.NAMESPACE).isEmpty()) {
            findings.add(Finding.note(
                    "settings",
                    "the namespace is '" + settings.namespace() + "', as none is set: applications that share the store"
                            + " share their names as well",
                    "set " + EngineKeys.NAMESPACE + " to the application's name if others use the same store"));
        }
        if (findings.size() == before) {
            findings.add(Finding.ok("settings", "nothing in them weakens a promise"));
        }
    }
}
