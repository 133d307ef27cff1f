package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Both servers of a composite as simulations have them, for threads: they carry out one call at a time, some
 * answers come late, and signals come on a thread of their own.
 */
public final class MemoryServers implements AutoCloseable {

    private static final int ONE_LATE_IN = 5;
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

    private final ExecutorService signalling = Executors.newSingleThreadExecutor();
    private final SimulatedAuthority authority;
    private final RedisNode primary;

    /** @param clock by which leases and minimum holds end */
    public MemoryServers(InstantSource clock, Duration authorityLease) {
        authority = new SimulatedAuthority(
                clock, authorityLease, new Listeners(), FailoverMutant.NONE, asserted -> {}, changed -> {});
        primary = new RedisNode("memory", clock, FailoverMutant.NONE);
    }

    /** The authority. */
    public AuthorityStore authority() {
        return inTurn(AuthorityStore.class, authority);
    }

    /** The primary. */
    public PrimaryStore primary() {
        return inTurn(PrimaryStore.class, primary);
    }

    /** The primary forgets everything. */
    public synchronized void flush() {
        primary.flush();
    }

    private <T> T inTurn(Class<T> kind, T server) {
        return kind.cast(Proxy.newProxyInstance(
                kind.getClassLoader(), new Class<?>[] {kind}, (proxy, method, arguments) -> {
                    if (method.getName().equals("subscribe")) {
                        @SuppressWarnings("unchecked")
                        Consumer<Notification> to = (Consumer<Notification>) arguments[0];
                        arguments[0] = (Consumer<Notification>)
                                notification -> signalling.execute(() -> to.accept(notification));
                    }
                    Object answer = carryOut(server, method, arguments);
                    boolean isLate = method.getName().equals("execute")
                            && ThreadLocalRandom.current().nextInt(ONE_LATE_IN) == 0;
                    if (isLate) {
                        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LATE_NANOS));
                    }
                    return answer;
                }));
    }

    private synchronized Object carryOut(Object server, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(server, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        signalling.shutdownNow();
    }
}
