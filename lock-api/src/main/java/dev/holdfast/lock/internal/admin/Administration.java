package dev.holdfast.lock.internal.admin;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.internal.Configured;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Asks the store directly: there is nothing to wait for and nothing to renew. */
public final class Administration implements LockAdmin {

    private static final int ATTEMPTS = 3;

    private final Configured configured;
    private final Lock lock = new ReentrantLock();
    private @Nullable LockStore opened;
    private boolean closed;

    private Administration(Configured configured) {
        this.configured = configured;
    }

    /** As {@link LockAdmin#of()}. */
    public static LockAdmin byConvention() {
        return new Administration(Configured.byConvention());
    }

    /** As {@link LockAdmin#of(Path)}. */
    public static LockAdmin file(Path file) {
        return new Administration(Configured.file(file));
    }

    /** As {@link LockAdmin#of(Properties)}. */
    public static LockAdmin properties(Properties properties) {
        return new Administration(Configured.properties(properties));
    }

    @Override
    public String provider() {
        return configured.provider().name();
    }

    @Override
    public String namespace() {
        return configured.settings().namespace().value();
    }

    @Override
    public List<EffectiveSetting> settings() {
        return configured.settings().effective(configured.provider().keys());
    }

    @Override
    public Stream<LockInfo> locks(String prefix) {
        LockStore store = store();
        if (!store.capabilities().contains(Capability.INSPECT)) {
            throw new UnsupportedOperationException(
                    "the store of the provider '" + provider() + "' cannot tell who holds what");
        }
        return store.inspect(prefix, timeout());
    }

    @Override
    public boolean forceRelease(LockInfo shown) {
        if (shown.holder().isEmpty()) {
            return false;
        }
        // Remembered, so that no request of the holder's that is still under way takes the lock again.
        Duration remember = configured.settings().lease();
        Step release = new Step.Release(shown.name(), shown.holder().get().id(), Duration.ZERO, remember);
        boolean anyUnanswered = false;
        Throwable why = null;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try {
                Answer answer = store().apply(List.of(release), timeout()).get(0);
                if (answer instanceof Answer.Released released) {
                    return released.wasHeld() || anyUnanswered;
                }
                why = answer instanceof Answer.Unavailable unavailable
                        ? unavailable.why()
                        : new IllegalStateException("the store answered " + answer);
            } catch (RuntimeException e) {
                why = e;
            }
            anyUnanswered = true;
        }
        throw new LockUnavailableException(
                "'" + shown.name() + "' may have been taken from its holder or not: the store did not answer", why);
    }

    @Override
    public List<Finding> examine() {
        return new Examination(configured, this::store).findings();
    }

    private Duration timeout() {
        return configured.settings().callTimeout();
    }

    private LockStore store() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this administration is closed");
            }
            if (opened == null) {
                opened = configured.openStore();
            }
            return opened;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (opened != null) {
                opened.close();
                opened = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
