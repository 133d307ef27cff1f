package dev.holdfast.lock.jdbc.waiting;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Patiently;
import dev.holdfast.lock.pulse.Pulse;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A process whose threads want one lock once each: one more for each line on its standard input. At the end of the input it
 * says of each its number, when it had the lock and when it gave it back, and with which token; then for how long it stood
 * still at most. Argument: the configuration.
 */
final class WaitersProcess {

    /** It can take orders. */
    static final String READY = "ready";

    /** And for how many nanoseconds. */
    static final String STOOD_STILL = "still";

    private static final Duration HANG = Duration.ofMinutes(4);

    private WaitersProcess() {}

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    public static void main(String[] arguments) throws Exception {
        List<String> holds = Collections.synchronizedList(new ArrayList<>());
        try (Locks locks = Patiently.ask(() -> Locks.open(Path.of(arguments[0])))) {
            DistributedLock lock = locks.named("job");
            locks.named("warm").acquire().close();
            Pulse pulse = new Pulse();
            System.out.println(READY);
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            List<Thread> threads = new ArrayList<>();
            for (String number = orders.readLine(); number != null; number = orders.readLine()) {
                String own = number;
                Thread thread = new Thread(() -> holds.add(own + " " + hold(lock)));
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            holds.forEach(System.out::println);
            System.out.println(STOOD_STILL + " " + pulse.longest().toNanos());
        }
    }

    /** The monotonic clock is the machine's: what two processes read of it can be compared. */
    private static String hold(DistributedLock lock) {
        try (Lease lease = lock.acquire(HANG)) {
            long from = System.nanoTime();
            return from + " " + System.nanoTime() + " " + lease.fencingToken();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
