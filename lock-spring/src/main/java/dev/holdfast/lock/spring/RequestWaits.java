package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Limits how long web requests wait for locks, and how many of them do. A server has a limited number of threads, and if each of
 * them waits for a lock, or for a store that does not answer, nothing else is answered, not even a health probe. Thread-safe.
 */
final class RequestWaits {

    /** The longest wait of a request whose method sets none. */
    static final String LONGEST = "holdfast.web.acquire-timeout";
    /** The maximum number of requests that wait at a time; a further one asks once, as do those whose method does not wait. */
    static final String MOST = "holdfast.web.max-waiting";

    private static final String DEFAULT_LONGEST = "10s";
    /** An attempt at a store that answers takes less. */
    private static final Duration ATTEMPT = Duration.ofMillis(100);

    private static final String THREADS = "server.tomcat.threads.max";
    private static final String THREADS_OF_JETTY = "server.jetty.threads.max";
    private static final int DEFAULT_THREADS = 200;

    private static final boolean WEB = ClassUtils.isPresent(
            "org.springframework.web.context.request.RequestContextHolder", RequestWaits.class.getClassLoader());

    private static final Logger log = LoggerFactory.getLogger(RequestWaits.class);

    private final BooleanSupplier isRequest;
    private final @Nullable Duration longest;
    private final int most;
    private final int mostAsking;
    private final Semaphore waiting;
    private final Semaphore asking;
    private final AtomicBoolean isReported = new AtomicBoolean();

    /**
     * The limits of requests.
     *
     * @param isRequest whether the current thread serves a request, and is one of a limited number
     * @param longest the longest wait of a request whose method sets none; null for the limit of the locks
     * @param most the maximum number of requests that wait at a time
     * @param mostAsking the maximum number of those beyond that which ask once at a time, because of that or of their method
     */
    private RequestWaits(BooleanSupplier isRequest, @Nullable Duration longest, int most, int mostAsking) {
        this.isRequest = isRequest;
        this.longest = longest;
        this.most = most;
        this.mostAsking = mostAsking;
        this.waiting = new Semaphore(most);
        this.asking = new Semaphore(mostAsking);
    }

    static RequestWaits of(Environment environment) {
        boolean isLimited =
                !environment.getProperty("holdfast.acquire-timeout", "").isBlank();
        Duration longest = duration(environment);
        int threads = number(environment, THREADS, number(environment, THREADS_OF_JETTY, DEFAULT_THREADS));
        int most = number(environment, MOST, Math.max(1, threads * 3 / 4));
        return new RequestWaits(
                WEB ? WebRequests::isServed : () -> false,
                isLimited && environment.getProperty(LONGEST, "").isBlank() ? null : longest,
                most,
                Math.max(most == 0 ? 1 : 0, (threads - most) / 2)); // the other half is for other requests
    }

    private static Duration duration(Environment environment) {
        String text = environment.getProperty(LONGEST, "");
        try {
            Duration duration = DurationText.parse(text.isBlank() ? DEFAULT_LONGEST : text.strip());
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            throw new LockConfigurationException(LONGEST + " " + e.getMessage(), e);
        }
        throw new LockConfigurationException(LONGEST + " = '" + text + "' is negative");
    }

    private static int number(Environment environment, String property, int otherwise) {
        String text = environment.getProperty(property, "");
        if (text.isBlank()) {
            return otherwise;
        }
        try {
            return Math.max(0, Integer.parseInt(text.strip()));
        } catch (NumberFormatException e) {
            if (property.equals(MOST)) {
                throw new LockConfigurationException(MOST + " = '" + text + "' is not a whole number", e);
            }
            return otherwise; // Boot refuses it
        }
    }

    /**
     * Acquires, and waits for as long as this thread may.
     *
     * @param asked the wait that the method sets; null if it sets none
     * @param acquiring receives the wait; null for the limit of the locks
     * @throws LockTimeoutException from the acquisition; if it could not wait, the message says why
     * @throws LockUnavailableException from the acquisition, or if too many others wait and ask
     */
    @Nullable
    LockHold limited(@Nullable Duration asked, Acquiring acquiring) throws InterruptedException {
        if (!isRequest.getAsBoolean()) {
            return acquiring.acquire(asked);
        }
        boolean isOnce = asked != null && asked.isZero();
        if (isOnce && asking.tryAcquire()) { // most attempts are short, and leave the other places to those that wait
            return acquire(asked, acquiring, asking);
        }
        if (waiting.tryAcquire()) {
            if (isReported.get() && waiting.availablePermits() > most / 2) {
                isReported.set(false);
            }
        } else {
            if (isReported.compareAndSet(false, true)) {
                log.warn(
                        "{} web requests wait for locks, and further ones ask once ({}), so that threads are left for"
                                + " others. Locks are held for too long, the requests contend for too few, or the store does not"
                                + " answer. This is logged again after less than half of them wait",
                        most,
                        MOST);
            }
            return askOnce(isOnce, acquiring);
        }
        return acquire(asked == null ? longest : asked, acquiring, waiting);
    }

    private static @Nullable LockHold acquire(@Nullable Duration timeout, Acquiring acquiring, Semaphore places)
            throws InterruptedException {
        try {
            return acquiring.acquire(timeout);
        } finally {
            places.release();
        }
    }

    /**
     * An attempt takes long while the store does not answer, or no store of a composite grants.
     *
     * @param isWanted whether the method asks for no more than that
     */
    private @Nullable LockHold askOnce(boolean isWanted, Acquiring acquiring) throws InterruptedException {
        if (!asking.tryAcquire(ATTEMPT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new LockUnavailableException(
                    "this request did not ask for its lock, as " + most + " others wait for locks (" + MOST + ") and "
                            + mostAsking + " more ask",
                    null);
        }
        try {
            return acquire(Duration.ZERO, acquiring, asking);
        } catch (LockTimeoutException e) {
            if (isWanted) {
                throw e;
            }
            LockTimeoutException full = new LockTimeoutException(e.getMessage() + "; this request did not wait, as "
                    + most + " others wait for locks (" + MOST + ")");
            full.addSuppressed(e);
            throw full;
        }
    }

    /** An acquisition whose wait is limited. */
    @FunctionalInterface
    interface Acquiring {

        /**
         * Acquires the lock.
         *
         * @param timeout null for the limit of the locks
         * @return null if the lock is busy, and the call is to be skipped
         */
        @Nullable
        LockHold acquire(@Nullable Duration timeout) throws InterruptedException;
    }
}
