package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.DistributedSemaphore;
import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.LeaderElection;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks of a store that did not answer at the start: until it does, every call throws {@link LockUnavailableException}. A thread
 * keeps trying to open them. Once they are open, locks, listeners and elections that were requested before use them.
 * Thread-safe.
 */
final class DeferredLocks implements Locks {

    private static final Logger log = LoggerFactory.getLogger(DeferredLocks.class);
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Set<Class<?>> VIEWS = Set.of(DistributedLock.class, Lock.class, ReadWriteLock.class);

    /** What {@link #deferred} makes proxies of. */
    static final Set<Class<?>> STAND_INS = Set.of(
            DistributedLock.class,
            Lock.class,
            ReadWriteLock.class,
            DistributedSemaphore.class,
            LeaderElection.class,
            LockAdmin.class);

    private final String provider;
    private final Supplier<Locks> opening;
    private final Duration pause;
    private final ReentrantLock guard = new ReentrantLock();
    private final CountDownLatch closing = new CountDownLatch(1);
    /** Actions for as soon as the locks are open. */
    private final List<Consumer<Locks>> pending = new ArrayList<>();

    private volatile @Nullable Locks opened;
    private volatile RuntimeException failure;

    private DeferredLocks(String provider, Supplier<Locks> opening, LockUnavailableException failure, Duration pause) {
        this.provider = provider;
        this.opening = opening;
        this.failure = failure;
        this.pause = pause;
    }

    /** Opens the locks; if their store does not answer, returns locks that are opened as soon as it does. */
    static Locks open(String provider, Supplier<Locks> opening) {
        return open(provider, opening, PAUSE);
    }

    static Locks open(String provider, Supplier<Locks> opening, Duration pause) {
        try {
            return opening.get();
        } catch (LockUnavailableException e) {
            log.warn(
                    "the store of the locks does not answer: {}. The application starts without it (holdfast.fail-fast=false);"
                            + " calls that need a lock fail until it does",
                    e.getMessage());
            DeferredLocks locks = new DeferredLocks(provider, opening, e, pause);
            Thread thread = DaemonThreadFactory.unstarted("holdfast-open", locks::openLater);
            thread.setContextClassLoader(
                    Thread.currentThread().getContextClassLoader()); // finds what this thread finds
            thread.start();
            return locks;
        }
    }

    private void openLater() {
        boolean isLogged = false;
        while (!isClosing()) {
            Locks locks;
            try {
                locks = opening.get();
            } catch (Error e) { // such as "unable to create native thread", which may pass
                failure = new LockUnavailableException("opening the locks failed: " + e, e);
                if (!isLogged) {
                    isLogged = true;
                    log.error("opening the locks failed, and is retried every {} s", pause.toSeconds(), e);
                }
                continue;
            } catch (LockUnavailableException e) {
                failure = e;
                continue;
            } catch (RuntimeException e) {
                failure = e;
                log.error(
                        "the locks cannot be opened: {}. Correct this, and start the application again",
                        e.getMessage());
                return;
            }
            opened(locks); // whose failure must not open them a second time
            return;
        }
    }

    private boolean isClosing() {
        try {
            return closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void opened(Locks locks) {
        List<Consumer<Locks>> due;
        guard.lock();
        try {
            if (closing.getCount() == 0) {
                locks.close();
                return;
            }
            opened = locks;
            due = List.copyOf(pending);
            pending.clear();
        } finally {
            guard.unlock();
        }
        log.info("the store of the locks answers, and locks can be acquired");
        due.forEach(each -> carryOut(each, locks));
    }

    /** A failure, such as a lack of memory, ends neither the other actions nor the locks, which are open. */
    private static void carryOut(Consumer<Locks> action, Locks locks) {
        try {
            action.accept(locks);
        } catch (RuntimeException | Error e) {
            log.error("an election or a listener that was requested before the locks were open could not begin", e);
        }
    }

    /** Runs the action now, or as soon as the locks are open. */
    private void whenOpen(Consumer<Locks> action) {
        guard.lock();
        try {
            if (opened == null) {
                pending.add(action);
                return;
            }
        } finally {
            guard.unlock();
        }
        action.accept(open());
    }

    private Locks open() {
        Locks locks = opened;
        if (locks != null) {
            return locks;
        }
        if (closing.getCount() == 0) {
            throw new IllegalStateException("these locks are closed");
        }
        RuntimeException reason = failure;
        String message = "the store has not answered since the application was started: " + reason.getMessage();
        throw reason instanceof LockConfigurationException
                ? new LockConfigurationException(message, reason)
                : new LockUnavailableException(message, reason);
    }

    @Override
    public DistributedLock named(String name) {
        Locks locks = opened;
        return locks != null
                ? locks.named(name)
                : view(DistributedLock.class, new LockName(name), open -> open.named(name));
    }

    /**
     * A lock, or a lock of the JDK on it. Its views are deferred as well: a bean may keep one in a field.
     *
     * @param lock the same of open locks
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the lock gets the future
    private <T> T view(Class<T> type, LockName name, Function<Locks, Object> lock) {
        return deferred(type, (method, arguments) -> {
            if (method.getName().equals("name")) {
                return name.value();
            }
            if (opened == null) {
                Class<?> result = method.getReturnType();
                if (VIEWS.contains(result)) {
                    return view(result, name, open -> viewed(method, lock.apply(open), arguments));
                } else if (method.getName().equals("currentThreadLease")) {
                    return Optional.empty();
                } else if (method.getName().equals("unlock")) {
                    throw new IllegalMonitorStateException("'" + name.value() + "' is not held by this thread");
                } else if (result == CompletableFuture.class) {
                    try {
                        open();
                    } catch (RuntimeException e) {
                        return CompletableFuture.failedFuture(e);
                    }
                }
            }
            return call(method, lock.apply(open()), arguments);
        });
    }

    private static Object viewed(Method method, Object target, @Nullable Object @Nullable [] arguments) {
        return Objects.requireNonNull(call(method, target, arguments));
    }

    @Override
    public DistributedSemaphore semaphore(String name, int permits) {
        Locks locks = opened;
        if (locks != null) {
            return locks.semaphore(name, permits);
        }
        LockName valid = new LockName(name);
        return deferred(DistributedSemaphore.class, (method, arguments) -> switch (method.getName()) {
            case "name" -> name;
            case "limit" -> permits;
            case "permits" ->
                view(DistributedLock.class, valid, open -> viewed(method, open.semaphore(name, permits), arguments));
            default -> call(method, open().semaphore(name, permits), arguments);
        });
    }

    @Override
    public LeaderElection elect(String name, LeaderCandidate candidate) {
        new LockName(name);
        CompletableFuture<LeaderElection> election = new CompletableFuture<>();
        whenOpen(locks -> {
            if (!election.isDone()) {
                LeaderElection begun = locks.elect(name, candidate);
                if (!election.complete(begun)) {
                    begun.close();
                }
            }
        });
        return deferred(LeaderElection.class, (method, arguments) -> {
            if (election.isDone() && !election.isCompletedExceptionally()) {
                return call(method, election.join(), arguments);
            }
            return switch (method.getName()) {
                case "name" -> name;
                case "isLeader" -> false;
                case "lease" -> Optional.empty();
                case "close" -> {
                    if (!election.cancel(false)) {
                        call(method, election.join(), arguments);
                    }
                    yield null;
                }
                default -> null; // there is no leadership to yield
            };
        });
    }

    @Override
    public void addListener(LockListener listener) {
        whenOpen(locks -> locks.addListener(listener));
    }

    @Override
    public LockAdmin admin() {
        Locks locks = opened;
        return locks != null
                ? locks.admin()
                : deferred(LockAdmin.class, (method, arguments) -> switch (method.getName()) {
                    case "provider" -> provider;
                    case "close" -> null; // it does not close the store
                    default -> call(method, open().admin(), arguments);
                });
    }

    @Override
    public Duration shortestLease() {
        return open().shortestLease();
    }

    @Override
    public String provider() {
        return provider;
    }

    @Override
    public LeaseGroup acquireAll(Collection<String> names) throws InterruptedException {
        return open().acquireAll(names);
    }

    @Override
    public LeaseGroup acquireAll(Collection<String> names, Duration wait) throws InterruptedException {
        return open().acquireAll(names, wait);
    }

    @Override
    public void close() {
        Locks locks;
        guard.lock();
        try {
            closing.countDown();
            locks = opened;
            pending.clear();
        } finally {
            guard.unlock();
        }
        if (locks != null) {
            locks.close();
        }
    }

    private <T> T deferred(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                DeferredLocks.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" ->
                        type.getSimpleName() + " of a store that "
                                + (opened == null ? "has not answered yet" : "answered after the start");
                    default -> call.reply(method, arguments);
                }));
    }

    private static @Nullable Object call(Method method, Object target, @Nullable Object @Nullable [] arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw sneaky(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Throws the exception unchanged, checked or not: the method called through the proxy declares it. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E sneaky(@Nullable Throwable thrown) throws E {
        throw (E) (thrown == null ? new IllegalStateException("a call failed without a reason") : thrown);
    }

    /** A call through a proxy. */
    @FunctionalInterface
    private interface Call {
        @Nullable
        Object reply(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
    }
}
