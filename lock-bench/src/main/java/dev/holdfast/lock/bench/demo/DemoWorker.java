package dev.holdfast.lock.bench.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.bench.demo.Timeline.Side;
import dev.holdfast.lock.bench.server.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A process that acquires and releases the lock. The process prints an instant of {@link System#nanoTime()}, an event and its
 * details, one line each.
 */
final class DemoWorker implements AutoCloseable {

    private static final String LOCK = "stock";

    /** A command to the process. */
    private enum Order {
        ACQUIRE,
        /** Stop using the lock. */
        STOP,
        RELEASE
    }

    /** A report of the process. */
    private enum Event {
        READY,
        HELD,
        LOST,
        STOPPED,
        FAILED
    }

    private final Side side;
    private final String name;
    private final TimelineRecorder recorder;
    private final ChildJvm jvm;
    private volatile boolean closed;

    /** @param configuration a {@code lock.properties} */
    DemoWorker(Side side, String name, Path configuration, TimelineRecorder recorder) throws IOException {
        this.side = side;
        this.name = name;
        this.recorder = recorder;
        List<String> options = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        jvm = new ChildJvm(DemoWorker.class, options, List.of(configuration.toString()), Redirect.INHERIT);
        Thread listener = new Thread(this::listen, "listens to " + name);
        listener.setDaemon(true);
        listener.start();
    }

    void acquire() throws IOException {
        recorder.asks(side, name);
        jvm.send(Order.ACQUIRE.name());
    }

    /** Makes the process stop using the lock, which it releases once the recorder knows that. */
    void release() throws IOException {
        jvm.send(Order.STOP.name());
    }

    boolean isHolding() {
        return recorder.isHolding(side, name);
    }

    private void listen() {
        try {
            while (true) {
                record(jvm.line().split(" ", 4));
            }
        } catch (IOException | IllegalStateException | TimeoutException | InterruptedException e) {
            if (!closed) {
                recorder.fails(name + " of the " + side.title + ": " + e.getMessage());
            }
        }
    }

    private void record(String[] words) throws IOException {
        long at = Long.parseLong(words[0]);
        switch (Event.valueOf(words[1])) {
            case READY -> recorder.ready();
            case HELD -> recorder.holds(side, name, at, Long.parseLong(words[2]), words[3]);
            case LOST -> recorder.ends(side, name, at, true);
            case STOPPED -> {
                recorder.ends(side, name, at, false);
                jvm.send(Order.RELEASE.name());
            }
            case FAILED -> recorder.fails(name + " of the " + side.title + ": " + String.join(" ", words));
        }
    }

    @Override
    public void close() {
        closed = true;
        jvm.close();
    }

    /**
     * The process: follows the orders on its standard input until that ends.
     *
     * @param arguments the configuration file
     */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        try (Locks locks = Locks.open(file);
                LockAdmin admin = LockAdmin.of(file)) {
            grantingStore(locks, admin); // opens the connections that it needs
            print(System.nanoTime(), Event.READY, "");
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
            CompletableFuture<Lease> lease = new CompletableFuture<>();
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                switch (Order.valueOf(line)) {
                    case ACQUIRE ->
                        lease = locks.named(LOCK)
                                .acquireAsync()
                                .whenComplete((held, failure) -> completed(locks, admin, held, failure));
                    case STOP -> print(System.nanoTime(), Event.STOPPED, "");
                    case RELEASE -> lease.join().close();
                }
            }
        }
    }

    private static void completed(Locks locks, LockAdmin admin, @Nullable Lease lease, @Nullable Throwable failure) {
        long at = System.nanoTime();
        if (lease == null) {
            print(at, Event.FAILED, String.valueOf(failure));
            return;
        }
        // On another thread: this one must not wait for the authority.
        ForkJoinPool.commonPool().execute(() -> {
            print(at, Event.HELD, lease.fencingToken() + " " + grantingStore(locks, admin));
            lease.onLost(loss -> print(System.nanoTime(), Event.LOST, ""));
        });
    }

    private static String grantingStore(Locks locks, LockAdmin admin) {
        return admin.failoverStatus().map(FailoverStatus::active).orElse(locks.provider());
    }

    @SuppressWarnings("SystemOut") // a pipe to the demo
    private static void print(long at, Event event, String details) {
        System.out.println((at + " " + event + " " + details).stripTrailing());
    }
}
