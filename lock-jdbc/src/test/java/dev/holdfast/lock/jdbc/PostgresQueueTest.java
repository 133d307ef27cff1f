package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.ask;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.queue;
import static dev.holdfast.lock.jdbc.Steps.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import java.util.ArrayList;
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
import org.junit.jupiter.api.Test;

/** The queue when all come and go at once. */
class PostgresQueueTest {

    private static final int WORKERS = 8;
    private static final int ROUNDS = 60;
    private static final String LOCK = "crowded";

    private final Postgres database = Postgres.database();
    private final Map<AcquisitionId, Semaphore> turns = new ConcurrentHashMap<>();
    private final AtomicInteger inside = new AtomicInteger();

    /** Whoever waits here asks again only when it is told to: if it is never told, it is stranded. */
    @Test
    void nobodyIsStrandedWhoeverComesAndLeavesMeanwhile() throws Exception {
        long seed = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        try (LockStore store = Opened.store(database.settings("lock.jdbc.pool-size", "" + WORKERS))) {
            Heard heard = new Heard();
            store.signals(signal -> {
                heard.accept(signal);
                signal.id().map(turns::get).ifPresent(Semaphore::release);
            });
            heard.awaitAny();
            List<Callable<Void>> all = new ArrayList<>();
            for (int worker = 0; worker < WORKERS; worker++) {
                Random random = new Random(seed + worker);
                all.add(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        comeAndLeave(store, random);
                    }
                    return null;
                });
            }
            for (Future<Void> each : threads.invokeAll(all)) {
                each.get();
            }
            assertThat(database.value("SELECT count(*) FROM holdfast_waiter")).isEqualTo("0");
            assertThat(database.value("SELECT waiters || ' ' || state FROM holdfast_lock WHERE name = '" + LOCK + "'"))
                    .isEqualTo("0 free");
        } catch (AssertionError | Exception e) {
            throw new AssertionError("with seed " + seed + ": " + e, e);
        } finally {
            threads.shutdownNow();
        }
    }

    private void comeAndLeave(LockStore store, Random random) throws InterruptedException {
        AcquisitionId id = id();
        Semaphore turn = new Semaphore(0);
        turns.put(id, turn);
        boolean queues = random.nextInt(4) > 0;
        Answer answer = ask(store, queues ? queue(LOCK, id) : acquire(LOCK, id));
        boolean stays = random.nextInt(3) > 0;
        while (answer instanceof Answer.Waiting && stays) {
            assertThat(turn.tryAcquire(60, TimeUnit.SECONDS))
                    .as("told of its turn")
                    .isTrue();
            stays = random.nextInt(6) > 0; // who leaves when it was told leaves the lock to the next
            if (stays) {
                answer = ask(store, queue(LOCK, id));
            }
        }
        boolean granted = answer instanceof Answer.Granted;
        if (granted) {
            assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
            inside.decrementAndGet();
        }
        assertThat(ask(store, release(LOCK, id))).isEqualTo(new Answer.Released(granted));
        turns.remove(id);
    }
}
