package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reign;
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
 * A primary that need not be there yet: a process also starts while the primary is down, or refuses it. A look at how it is opens it;
 * until then every other call says that it is unavailable.
 */
final class LatePrimary implements PrimaryStore {

    private static final Logger log = LoggerFactory.getLogger(LatePrimary.class);

    /** For how long what was refused is not tried again. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final Supplier<PrimaryStore> opening;
    private final Runnable whenOpen;
    private final Clock clock;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile @Nullable PrimaryStore opened;
    private volatile boolean closed;
    /** Why it could not be opened when that was tried last; null if it was not tried. */
    private volatile @Nullable LockException refusal;

    private Moment refusedAt;
    private String lastObjection = "";

    /**
     * A primary that nobody has reached yet.
     *
     * @param opening opens it; throws a {@link LockUnavailableException} or a {@link LockConfigurationException} if that cannot
     *     be done now
     * @param whenOpen called once it is open
     */
    LatePrimary(Supplier<PrimaryStore> opening, Runnable whenOpen, Clock clock) {
        this.opening = opening;
        this.whenOpen = whenOpen;
        this.clock = clock;
        this.refusedAt = clock.now();
    }

    private PrimaryStore opened() {
        PrimaryStore present = opened;
        if (present == null) {
            LockException why = refusal;
            throw new LockUnavailableException(
                    "the primary could not be reached so far" + (why == null ? "" : ": " + why.getMessage()), why);
        }
        return present;
    }

    /** Opens it if it is not open, and closes it if that took so long that it is not wanted any more. */
    private PrimaryStore open() {
        turn.lock();
        try {
            PrimaryStore present = opened;
            if (present == null) {
                requireOpen();
                requireWorthTrying();
                present = opening.get();
                opened = present;
                whenOpen.run();
            }
            if (closed) {
                present.close();
            }
            requireOpen();
            return present;
        } catch (LockUnavailableException e) {
            refusal = e;
            throw e;
        } catch (LockConfigurationException e) {
            if (refusal != e) {
                refusal = e;
                refusedAt = clock.now();
            }
            if (!String.valueOf(e.getMessage()).equals(lastObjection)) {
                lastObjection = String.valueOf(e.getMessage());
                log.warn("the primary can be none as it is: {}", e.getMessage());
            }
            throw e;
        } finally {
            turn.unlock();
        }
    }

    /** A wrong password, or a server of the wrong kind, is mended by people: asking again at once is not worth a connection. */
    private void requireWorthTrying() {
        if (refusal instanceof LockConfigurationException e
                && refusedAt.until(clock.now()).compareTo(PAUSE) < 0) {
            throw e;
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
    }

    @Override
    public Health examine(Duration timeout) {
        return open().examine(timeout);
    }

    @Override
    public List<Answer> apply(Reign reign, List<Step> steps, Duration timeout) {
        return opened().apply(reign, steps, timeout);
    }

    @Override
    public void copy(Reign reign, List<Carried> grants, Duration timeout) {
        opened().copy(reign, grants, timeout);
    }

    @Override
    public void install(Reign reign, long base, Duration timeout) {
        opened().install(reign, base, timeout);
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return opened().signals(to);
    }

    @Override
    public Stream<LockInfo> inspect(Reign reign, String prefix, Duration timeout) {
        return open().inspect(reign, prefix, timeout);
    }

    @Override
    public List<Finding> findings(Duration timeout) {
        return open().findings(timeout);
    }

    /** Waits for nobody who is opening it. */
    @Override
    public void close() {
        closed = true;
        PrimaryStore present = opened;
        if (present != null) {
            present.close();
        }
    }
}
