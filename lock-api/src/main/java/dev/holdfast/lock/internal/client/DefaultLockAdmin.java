package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.internal.doctor.Doctor;
import dev.holdfast.lock.internal.state.CauseLine;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.failover.GrantValidityStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists, diagnoses and force-releases locks by calling the store directly, without an engine. */
public final class DefaultLockAdmin implements LockAdmin {

    /** A name is needed; a lock of this name is not affected. */
    private static final LockName PING = new LockName("holdfast-ping");

    private final LockConfiguration configuration;
    private final Lock guard = new ReentrantLock();
    /** Null if the store is opened here, at its first use. */
    private final @Nullable LockStore openElsewhere;

    private @Nullable LockStore opened;
    private volatile boolean closed;

    /** Opens the store at its first use. */
    public DefaultLockAdmin(LockConfiguration configuration) {
        this(configuration, null);
    }

    /** @param openElsewhere is closed by the one that opened it; null to open the store here, at its first use */
    DefaultLockAdmin(LockConfiguration configuration, @Nullable LockStore openElsewhere) {
        this.configuration = configuration;
        this.openElsewhere = openElsewhere;
    }

    @Override
    public String provider() {
        return configuration.provider();
    }

    @Override
    public List<EffectiveSetting> settings() {
        return configuration.effectiveSettings();
    }

    @Override
    public Stream<LockInfo> locks(String prefix) {
        LockStore store = store(configuration::openExistingStore);
        if (!store.capabilities().contains(Capability.LIST)) {
            throw new UnsupportedOperationException(
                    "the store of the provider '" + configuration.provider() + "' cannot list its locks");
        }
        return store.list(prefix, timeout());
    }

    @Override
    public Optional<FailoverStatus> failoverStatus() {
        return store(configuration::openExistingStore) instanceof GrantValidityStore composite
                ? Optional.of(composite.status(timeout()))
                : Optional.empty();
    }

    @Override
    public void ping() {
        LockStore store = store(configuration::openExistingStore);
        // A renewal of an id that no acquisition has: the reply is Gone, and nothing changes.
        UUID random = UUID.randomUUID();
        AcquisitionId unknown = new AcquisitionId(random.getMostSignificantBits(), random.getLeastSignificantBits());
        LockCommand renewal =
                new LockCommand.Renew(PING, unknown, configuration.settings().lease());
        LockReply reply;
        try {
            reply = store.execute(List.of(renewal), timeout()).get(0);
        } catch (RuntimeException e) {
            throw silent(e);
        }
        if (reply instanceof LockReply.Unavailable unavailable) {
            throw silent(unavailable.cause());
        }
        if (store instanceof GrantValidityStore composite) { // it answers renewals while no store grants, too
            composite.whySuspended().ifPresent(why -> {
                throw new LockUnavailableException(why, null);
            });
        }
    }

    private static LockUnavailableException silent(Throwable cause) {
        return new LockUnavailableException("the store does not answer: " + CauseLine.of(cause), cause);
    }

    @Override
    public boolean forceRelease(LockName name, LockInfo.Holder holder) {
        LockStore store = store(configuration::openExistingStore);
        // With a tombstone, so that a request of the holder that is still under way cannot take the lock again.
        LockCommand release = new LockCommand.Release(
                name, holder.id(), Duration.ZERO, configuration.settings().lease(), holder.share());
        LockReply reply;
        try {
            reply = store.execute(List.of(release), timeout()).get(0);
        } catch (RuntimeException e) {
            throw inDoubt(name, e);
        }
        if (reply instanceof LockReply.Released released) {
            return released.wasHeld();
        }
        throw inDoubt(
                name,
                reply instanceof LockReply.Unavailable unavailable
                        ? unavailable.cause()
                        : new IllegalStateException("the store answered " + reply));
    }

    private static LockUnavailableException inDoubt(LockName name, Throwable why) {
        return new LockUnavailableException(
                "no result from the store for the forced release of '" + name
                        + "', which may or may not have taken effect; list the lock again: "
                        + CauseLine.of(why),
                why);
    }

    @Override
    public List<Finding> diagnose() {
        requireOpen();
        return new Doctor(configuration, () -> store(configuration::openStore)).diagnose();
    }

    private Duration timeout() {
        return configuration.settings().callTimeout();
    }

    private LockStore store(Supplier<LockStore> opening) {
        guard.lock();
        try {
            requireOpen();
            if (openElsewhere != null) {
                return openElsewhere;
            }
            if (opened == null) {
                opened = opening.get();
            }
            return opened;
        } finally {
            guard.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this administration is closed");
        }
    }

    @Override
    public void close() {
        guard.lock();
        try {
            closed = true;
            if (opened != null) {
                configuration.close(opened);
                opened = null;
            }
        } finally {
            guard.unlock();
        }
    }
}
