package dev.holdfast.lock.composite.member;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A primary that the first successful health check opens, so that a process can start while the primary is down or refuses it.
 * Until then the reply to commands is Unavailable.
 */
public final class LazyPrimary implements PrimaryStore {

    private static final Logger log = LoggerFactory.getLogger(LazyPrimary.class);

    /** The pause after a refusal, before the next attempt to open it. */
    private static final Duration REFUSAL_PAUSE = Duration.ofSeconds(5);

    private final Supplier<PrimaryStore> opener;
    private final Runnable whenOpened;
    private final Clock clock;
    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable PrimaryStore opened;
    private volatile boolean closed;
    /** The failure of the last attempt to open it; null if there was none. */
    private volatile @Nullable LockException failure;

    private DualClockInstant refusedAt;
    private String lastRefusal = "";

    /**
     * A primary that is not open yet.
     *
     * @param opener opens it; throws a {@link LockUnavailableException} or a {@link LockConfigurationException} if that cannot be
     *     done now
     * @param whenOpened called once it is open
     */
    public LazyPrimary(Supplier<PrimaryStore> opener, Runnable whenOpened, Clock clock) {
        this.opener = opener;
        this.whenOpened = whenOpened;
        this.clock = clock;
        this.refusedAt = clock.now();
    }

    private PrimaryStore requireOpened() {
        PrimaryStore present = opened;
        if (present == null) {
            LockException cause = failure;
            throw new LockUnavailableException(
                    "the primary has not been reached since this process started"
                            + (cause == null ? "" : ": " + cause.getMessage()),
                    cause);
        }
        return present;
    }

    /** Opens the store if it is not open, and closes it at once if this primary was closed meanwhile. */
    private PrimaryStore open() {
        opening.lock();
        try {
            PrimaryStore present = opened;
            if (present == null) {
                requireNotClosed();
                throwRecentRefusal();
                present = opener.get();
                opened = present;
                whenOpened.run();
            }
            if (closed) {
                present.close();
            }
            requireNotClosed();
            return present;
        } catch (LockUnavailableException e) {
            failure = e;
            throw e;
        } catch (LockConfigurationException e) {
            if (failure != e) {
                failure = e;
                refusedAt = clock.now();
            }
            if (!String.valueOf(e.getMessage()).equals(lastRefusal)) {
                lastRefusal = String.valueOf(e.getMessage());
                log.warn("the primary cannot be used with its present configuration: {}", e.getMessage());
            }
            throw e;
        } finally {
            opening.unlock();
        }
    }

    /** Only an operator can correct a wrong password or a server of the wrong kind: retrying at once would waste connections. */
    private void throwRecentRefusal() {
        if (failure instanceof LockConfigurationException e
                && refusedAt.until(clock.now()).compareTo(REFUSAL_PAUSE) < 0) {
            throw e;
        }
    }

    private void requireNotClosed() {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
    }

    @Override
    public PrimaryHealth health(Duration timeout) {
        return open().health(timeout);
    }

    @Override
    public List<LockReply> execute(PrimaryTerm term, List<LockCommand> commands, Duration timeout) {
        return requireOpened().execute(term, commands, timeout);
    }

    @Override
    public int parallelCalls() {
        PrimaryStore present = opened;
        return present == null ? 1 : present.parallelCalls();
    }

    @Override
    public void copyLeases(PrimaryTerm term, List<TransferredLease> grants, Duration timeout) {
        requireOpened().copyLeases(term, grants, timeout);
    }

    @Override
    public void installTerm(PrimaryTerm term, long base, Duration timeout) {
        requireOpened().installTerm(term, base, timeout);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        return requireOpened().subscribe(listener);
    }

    @Override
    public Stream<LockInfo> list(PrimaryTerm term, String prefix, Duration timeout) {
        return open().list(term, prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        return open().diagnose(timeout);
    }

    /** Does not wait for an attempt to open it. */
    @Override
    public void close() {
        closed = true;
        PrimaryStore present = opened;
        if (present != null) {
            present.close();
        }
    }
}
