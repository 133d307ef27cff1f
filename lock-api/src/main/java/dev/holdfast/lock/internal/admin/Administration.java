package dev.holdfast.lock.internal.admin;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.internal.Configured;
import dev.holdfast.lock.internal.TenuredStore;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Asks the store directly: there is nothing to wait for and nothing to renew. */
public final class Administration implements LockAdmin {

    private final String provider;
    private final Settings settings;
    private final List<EffectiveSetting> effective;
    private final Supplier<LockStore> opening;
    private final Supplier<LockStore> openingExisting;
    private final Consumer<LockStore> closing;
    private final Lock lock = new ReentrantLock();
    private @Nullable LockStore opened;
    private volatile boolean closed;

    private Administration(
            String provider,
            Settings settings,
            List<EffectiveSetting> effective,
            Supplier<LockStore> opening,
            Supplier<LockStore> openingExisting,
            Consumer<LockStore> closing) {
        this.provider = provider;
        this.settings = settings;
        this.effective = effective;
        this.opening = opening;
        this.openingExisting = openingExisting;
        this.closing = closing;
    }

    private static LockAdmin of(Configured configured) {
        LockProvider provider = configured.provider();
        Settings settings = configured.settings();
        return new Administration(
                provider.name(),
                settings,
                settings.effective(provider.keys()),
                configured::openStore,
                configured::openExistingStore,
                LockStore::close);
    }

    /** As {@link LockAdmin#of()}. */
    public static LockAdmin byConvention() {
        return of(Configured.byConvention());
    }

    /** As {@link LockAdmin#of(Path)}. */
    public static LockAdmin file(Path file) {
        return of(Configured.file(file));
    }

    /** As {@link LockAdmin#of(Properties)}. */
    public static LockAdmin properties(Properties properties) {
        return of(Configured.properties(properties));
    }

    /** As {@link LockAdmin#of(LockStore, Properties)}. */
    public static LockAdmin store(LockStore store, Properties properties) {
        Settings settings = Configured.settings(properties);
        Supplier<LockStore> itself = () -> store;
        return new Administration(
                Configured.CUSTOM, settings, settings.effectiveOnStoreOfCallers(), itself, itself, itsCallers -> {});
    }

    @Override
    public String provider() {
        return provider;
    }

    @Override
    public List<EffectiveSetting> settings() {
        return effective;
    }

    @Override
    public Stream<LockInfo> locks(String prefix) {
        LockStore store = store(openingExisting);
        if (!store.capabilities().contains(Capability.INSPECT)) {
            throw new UnsupportedOperationException(
                    "the store of the provider '" + provider + "' cannot tell who holds what");
        }
        return store.inspect(prefix, timeout());
    }

    @Override
    public Optional<RegimeStatus> regime() {
        return store(openingExisting) instanceof TenuredStore composite
                ? Optional.of(composite.status(timeout()))
                : Optional.empty();
    }

    @Override
    public boolean forceRelease(LockInfo shown) {
        if (shown.holder().isEmpty()) {
            return false;
        }
        LockStore store = store(openingExisting);
        // Remembered, so that no request of the holder's that is still under way takes the lock again.
        Step release = new Step.Release(shown.name(), shown.holder().get().id(), Duration.ZERO, settings.lease());
        Answer answer;
        try {
            answer = store.apply(List.of(release), timeout()).get(0);
        } catch (RuntimeException e) {
            throw inDoubt(shown, e);
        }
        if (answer instanceof Answer.Released released) {
            return released.wasHeld();
        }
        throw inDoubt(
                shown,
                answer instanceof Answer.Unavailable unavailable
                        ? unavailable.why()
                        : new IllegalStateException("the store answered " + answer));
    }

    private static LockUnavailableException inDoubt(LockInfo shown, Throwable why) {
        return new LockUnavailableException(
                "'" + shown.name()
                        + "' may have been taken from its holder or not, look again: the store did not answer: "
                        + Failures.message(why),
                why);
    }

    @Override
    public List<Finding> examine() {
        requireOpen();
        return new Examination(provider, settings, () -> store(opening)).findings();
    }

    private Duration timeout() {
        return settings.callTimeout();
    }

    private LockStore store(Supplier<LockStore> way) {
        lock.lock();
        try {
            requireOpen();
            if (opened == null) {
                opened = way.get();
            }
            return opened;
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this administration is closed");
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (opened != null) {
                closing.accept(opened);
                opened = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
