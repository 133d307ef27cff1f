package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_14;
import static dev.holdfast.lock.tck.Rule.P5_2;
import static dev.holdfast.lock.tck.Rule.P5_3;
import static dev.holdfast.lock.tck.Rule.P6_4;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** P1, P5 and P6 as a caller of {@link Locks} sees them. */
interface CallerRules {

    Duration A_WHILE = Duration.ofMillis(300);

    @Checks(P1_14)
    default void p1_14_threadsNeverOverlap(Kit kit) {
        int threads = 4;
        int each = 8;
        List<Locks> locks = List.of(kit.locks(LONG), kit.locks(LONG));
        HoldHistory holds = new HoldHistory();
        ConcurrentCalls.run(threads, number -> {
            DistributedLock lock = locks.get(number % 2).named(JOB.value());
            for (int i = 0; i < each; i++) {
                try (Lease lease = Kit.acquire(lock, Duration.ofSeconds(60))) {
                    long from = System.nanoTime();
                    Kit.pause(Duration.ofMillis(5));
                    holds.add(new HoldHistory.Hold(lease.fencingToken(), from, System.nanoTime()));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted", e);
                }
            }
            return number;
        });
        holds.verify(threads * each);
    }

    @Checks(P5_2)
    default void p5_2_aTimedOutCallerNeverOwnsTheLock(Kit kit) throws InterruptedException {
        DistributedLock holder = kit.locks(LONG).named(JOB.value());
        DistributedLock waiter = kit.locks(LONG).named(JOB.value());
        try (Lease held = kit.acquire(holder)) {
            giveUp(waiter, held);
        }
        expectNoOwner(kit);
    }

    private static void giveUp(DistributedLock waiter, Lease held) throws InterruptedException {
        Optional<Lease> lease;
        try {
            lease = waiter.tryAcquire(A_WHILE);
        } catch (LockUnavailableException e) {
            return; // a slow machine may get no reply in that time; the caller has given up even so
        }
        if (lease.isPresent()) {
            throw new RuleBroken("a held lock was granted to a waiter, with token "
                    + lease.get().fencingToken() + " after " + held.fencingToken());
        }
    }

    @Checks(P5_3)
    default void p5_3_anInterruptedCallerNeverOwnsTheLock(Kit kit) throws InterruptedException {
        DistributedLock holder = kit.locks(LONG).named(JOB.value());
        RecordingStore store = new RecordingStore(kit.anotherClient().store(), kit.trace());
        DistributedLock waiter = kit.locks(store, LONG).named(JOB.value());
        long start = System.nanoTime();
        try (Lease held = kit.acquire(holder)) {
            while (!isInterrupted(kit, waiter, store, held)) {
                if (System.nanoTime() - start > Kit.SLOW_LIMIT.toNanos()) {
                    throw new RuleBroken("the store was unavailable for every waiter before it was interrupted");
                }
            }
        }
        expectNoOwner(kit);
    }

    /** False if the waiter got no reply for so long that it gave up by itself, as on a machine that stands still. */
    private static boolean isInterrupted(Kit kit, DistributedLock waiter, RecordingStore store, Lease held)
            throws InterruptedException {
        int asked = store.acquireCount();
        FutureTask<Long> waiting = new FutureTask<>(() -> waiter.acquire(LONG).fencingToken());
        Thread thread = new Thread(waiting, "waiter");
        thread.setDaemon(true);
        thread.start();
        kit.await("the waiter has sent an acquire", () -> store.acquireCount() > asked);
        Kit.pause(A_WHILE);
        thread.interrupt();
        try {
            long token = waiting.get(60, TimeUnit.SECONDS);
            throw new RuleBroken(
                    "a held lock was granted to a waiter, with token " + token + " after " + held.fencingToken());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LockUnavailableException) {
                return false;
            } else if (!(e.getCause() instanceof InterruptedException)) {
                throw new IllegalStateException("an interrupted waiter got another exception", e.getCause());
            }
            return true;
        } catch (TimeoutException e) {
            throw new RuleBroken("a waiter is still waiting a minute after its thread was interrupted");
        }
    }

    /** Checks that the lock becomes free, and stays free while no caller acquires it. */
    private static void expectNoOwner(Kit kit) {
        StoreClient client = kit.client();
        client.release(client.awaitGrant(JOB, LONG));
        Kit.pause(A_WHILE);
        client.release(client.grant(JOB, LONG));
    }

    @Checks(P6_4)
    default void p6_4_locksThrowDuringAnOutage(Kit kit) throws InterruptedException {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        Properties configuration = connection.configuration();
        configuration.setProperty("lock.call-timeout", "3s"); // each of them may wait for it
        DistributedLock lock = kit.locks(configuration, LONG).named(JOB.value());
        kit.acquire(lock).close();
        connection.cut();
        expectUnavailable("tryAcquire()", () -> lock.tryAcquire().isPresent());
        expectUnavailable(
                "tryAcquire(1 s)", () -> lock.tryAcquire(LeaseRules.SECOND).isPresent());
        expectUnavailable("acquire(1 s)", () -> lock.acquire(LeaseRules.SECOND).isHeld());
    }

    /** Acquires a lock and returns whether that succeeded. */
    @FunctionalInterface
    interface Acquisition {
        boolean succeeds() throws InterruptedException;
    }

    private static void expectUnavailable(String what, Acquisition acquisition) throws InterruptedException {
        try {
            throw new RuleBroken("the store is unreachable, but " + what
                    + (acquisition.succeeds() ? " got the lock" : " found it busy"));
        } catch (LockUnavailableException expected) {
            if (expected.getMessage() == null || expected.getMessage().isBlank()) {
                throw new RuleBroken("the LockUnavailableException has no message");
            }
        }
    }
}
