package dev.holdfast.lock.contract;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.Stalls;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** A process in which a virtual thread keeps the only thread that carries virtual threads busy, while others hold locks. */
final class BusyCarrierProcess {

    /** The status of a process that failed after it had stood still, which shows nothing: its leases may have ended. */
    static final int STOOD_STILL = 3;

    private static final Duration STANDSTILL = Duration.ofSeconds(2);

    private BusyCarrierProcess() {}

    /** Argument: the settings of the locks. Ends with status 0 if all went well. */
    @SuppressWarnings("SystemOut") // a file of the test that started this process
    public static void main(String[] arguments) throws Exception {
        try (Stalls stalls = new Stalls()) {
            try {
                hold(Path.of(arguments[0]));
            } catch (Exception | AssertionError e) {
                if (stalls.longest().compareTo(STANDSTILL) < 0) {
                    throw e;
                }
                e.printStackTrace();
                System.exit(STOOD_STILL);
            }
        }
    }

    private static void hold(Path settings) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        Set<String> lost = ConcurrentHashMap.newKeySet();
        try (Locks locks = LocksOpener.open(settings)) {
            locks.addListener(new LockListener() {
                @Override
                public void lost(
                        String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
                    lost.add(name);
                }
            });
            Lease platform = locks.named("platform").acquire();
            Lease taken = locks.named("taken away").acquire();
            CompletableFuture<Lease> virtual = new CompletableFuture<>();
            CountDownLatch end = new CountDownLatch(1);
            CompletableFuture<Boolean> released = new CompletableFuture<>();
            start.invoke(null, (Runnable) () -> holdUntil(end, locks, virtual, released));
            Lease ofVirtual = Await.result(virtual);
            AtomicBoolean over = new AtomicBoolean();
            CountDownLatch spinning = new CountDownLatch(1);
            start.invoke(null, (Runnable) () -> {
                spinning.countDown();
                while (!over.get()) {
                    Thread.onSpinWait();
                }
            });
            Await.opened(spinning);
            awaitRenewal(platform);
            awaitRenewal(ofVirtual);
            try (Lease another = locks.named("another").acquire()) {
                another.ensureHeld();
            }
            takeAway(locks, "taken away");
            Await.until("the loss is reported", () -> lost.contains("taken away"));
            require(!taken.isHeld(), "the lock that was taken away is not held");
            require(platform.isHeld() && ofVirtual.isHeld(), "the others are held");
            over.set(true);
            end.countDown();
            require(Await.result(released), "the virtual thread still held its lock");
            require(platform.release(), "the platform thread still held its lock");
            require(lost.equals(Set.of("taken away")), "lost: " + lost);
        }
    }

    private static void holdUntil(
            CountDownLatch end, Locks locks, CompletableFuture<Lease> lease, CompletableFuture<Boolean> released) {
        try {
            Lease held = locks.named("virtual").acquire();
            lease.complete(held);
            end.await();
            released.complete(held.release());
        } catch (Throwable e) {
            lease.completeExceptionally(e);
            released.completeExceptionally(e);
        }
    }

    private static void takeAway(Locks locks, String name) {
        try (LockAdmin admin = locks.admin();
                Stream<LockInfo> found = admin.locks(name)) {
            LockInfo lock = found.findFirst().orElseThrow();
            require(admin.forceRelease(lock.name(), lock.holder().orElseThrow()), "the lock is taken away");
        }
    }

    /** Until the lease lasts longer than it did before. */
    private static void awaitRenewal(Lease lease) {
        Duration[] shortest = {lease.remaining()};
        Await.until(lease.name() + " is renewed", () -> {
            lease.ensureHeld();
            Duration remaining = lease.remaining();
            if (remaining.compareTo(shortest[0]) > 0) {
                return true;
            }
            shortest[0] = remaining;
            return false;
        });
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError("not so: " + what);
        }
    }
}
