package dev.holdfast.lock.bench.demo;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.admin.RegimeStatus;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/**
 * A process that takes a lock and gives it back as it is told on its standard input, until that ends. Says on its standard output
 * what came of it, and when: an instant of {@link System#nanoTime()}, a word, and more.
 */
final class Worker {

    private static final String LOCK = "stock";

    static final String TAKE = "take";
    static final String STOP = "stop";
    static final String RELEASE = "release";

    static final String READY = "ready";
    static final String HELD = "held";
    static final String LOST = "lost";
    static final String STOPPED = "stopped";
    static final String FAILED = "failed";

    private final Locks locks;
    private final LockAdmin admin;

    private Worker(Locks locks, LockAdmin admin) {
        this.locks = locks;
        this.admin = admin;
    }

    /** @param arguments the configuration file */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        try (Locks locks = Locks.open(file);
                LockAdmin admin = LockAdmin.of(file)) {
            new Worker(locks, admin).work();
        }
    }

    private void work() throws Exception {
        grants(); // whatever that takes to open is open from now on
        say(System.nanoTime(), READY);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.equals(TAKE)) {
                lease = locks.named(LOCK).acquireAsync().whenComplete(this::answered);
            } else if (order.equals(STOP)) {
                say(System.nanoTime(), STOPPED);
            } else if (order.equals(RELEASE)) {
                lease.join().close();
            }
        }
    }

    /** Asks who grants on a thread of its own: the one that brings the lease must not wait. */
    private void answered(@Nullable Lease lease, @Nullable Throwable failure) {
        long at = System.nanoTime();
        if (lease == null) {
            say(at, FAILED + " " + failure);
        } else {
            ForkJoinPool.commonPool().execute(() -> {
                say(at, HELD + " " + lease.fencingToken() + " " + grants());
                lease.onLost(loss -> say(System.nanoTime(), LOST));
            });
        }
    }

    private String grants() {
        return admin.regime().map(RegimeStatus::grants).orElse(locks.provider());
    }

    @SuppressWarnings("SystemOut") // a pipe to the demo
    private static void say(long at, String what) {
        System.out.println(at + " " + what);
    }
}
