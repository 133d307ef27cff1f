package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.ask;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.queue;
import static dev.holdfast.lock.jdbc.Steps.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that come to one lock and leave it at random. Who waits asks again only when it is told to: if it is never told,
 * it is stranded.
 */
final class Crowd {

    static final String LOCK = "crowded";
    static final int WORKERS = 8;

    private final LockStore store;
    private final Map<AcquisitionId, Semaphore> turns = new ConcurrentHashMap<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final Pulse pulse = new Pulse();
    private final AtomicLong longestCall = new AtomicLong();

    Crowd(LockStore store) {
        this.store = store;
    }

    /** Lets all of them come and leave so often. */
    void comeAndLeave(int rounds) throws Exception {
        long seed = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        Heard heard = new Heard();
        AutoCloseable subscription = store.signals(signal -> {
            heard.accept(signal);
            signal.id().map(turns::get).ifPresent(Semaphore::release);
        });
        try {
            heard.awaitAny();
            List<Callable<Void>> all = new ArrayList<>();
            for (int worker = 0; worker < WORKERS; worker++) {
                Random random = new Random(seed + worker);
                all.add(() -> {
                    for (int round = 0; round < rounds; round++) {
                        comeAndLeave(random);
                    }
                    return null;
                });
            }
            for (Future<Void> each : threads.invokeAll(all)) {
                each.get();
            }
        } catch (AssertionError | Exception e) {
            throw new AssertionError("with seed " + seed + ": " + e, e);
        } finally {
            pulse.close();
            subscription.close();
            threads.shutdownNow();
        }
    }

    private void comeAndLeave(Random random) throws InterruptedException {
        AcquisitionId id = id();
        Semaphore turn = new Semaphore(0);
        turns.put(id, turn);
        boolean queues = random.nextInt(4) > 0;
        Answer answer = timed(queues ? queue(LOCK, id) : acquire(LOCK, id));
        boolean stays = random.nextInt(3) > 0;
        while (answer instanceof Answer.Waiting && stays) {
            boolean told = turn.tryAcquire(60, TimeUnit.SECONDS);
            assertThat(told || placesMayBeLost()).as("told of its turn").isTrue();
            stays = random.nextInt(6) > 0; // who leaves when it was told leaves the lock to the next
            if (stays) {
                answer = timed(queue(LOCK, id));
            }
        }
        boolean granted = answer instanceof Answer.Granted;
        if (granted) {
            assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
            inside.decrementAndGet();
        }
        assertThat(timed(release(LOCK, id))).isEqualTo(new Answer.Released(granted));
        turns.remove(id);
    }

    private Answer timed(Step step) {
        long start = System.nanoTime();
        Answer answer = ask(store, step);
        longestCall.accumulateAndGet(System.nanoTime() - start, Math::max);
        return answer;
    }

    /** As nobody confirms its own here: this process or the database stood still for about as long as a place lasts. */
    private boolean placesMayBeLost() {
        Duration longest = Collections.max(List.of(pulse.longest(), Duration.ofNanos(longestCall.get())));
        return longest.compareTo(QueueTimes.TICKET.minus(QueueTimes.REFRESH)) > 0;
    }
}
