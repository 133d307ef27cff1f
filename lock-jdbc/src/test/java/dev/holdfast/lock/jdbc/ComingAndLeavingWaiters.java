package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that come to one lock and leave it at random. A thread that waits asks again only when it is told that it is its turn.
 * The clock of the store has to stand still: then no place is lost and no turn lapses, and one missing signal strands the first in
 * the queue, and so in the end all that wait.
 *
 * <p>No time-out decides that. If all threads wait, and nothing has changed when signals have arrived that were given later, one
 * was missing.
 */
final class ComingAndLeavingWaiters {

    static final String LOCK = "crowded";

    private static final String LATER = "later";
    private static final int WORKERS = 8;

    private final LockStore store;
    private final History history = new History();
    private final ReceivedNotifications heard = new ReceivedNotifications();
    private final Map<AcquisitionId, Semaphore> turns = new ConcurrentHashMap<>();
    private final List<Future<?>> workers = new ArrayList<>();
    private final AtomicLong asked = new AtomicLong();
    private volatile boolean isStranded;

    ComingAndLeavingWaiters(LockStore store) {
        this.store = store;
    }

    /** Lets each of them come and leave so often. */
    void comeAndLeave(int rounds) throws Exception {
        long seed = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        AutoCloseable subscription = store.subscribe(this::hear);
        try {
            heard.awaitAny();
            for (int worker = 0; worker < WORKERS; worker++) {
                Random random = new Random(seed + worker);
                Claims claims = history.claimsOf("worker " + worker);
                workers.add(threads.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        comeAndLeave(random, claims);
                    }
                    return null;
                }));
            }
            Await.until("all have left for good", () -> {
                endIfStranded();
                return workers.stream().allMatch(Future::isDone);
            });
            for (Future<?> worker : workers) {
                Await.result(worker);
            }
            history.verify(WORKERS * rounds / 4);
        } catch (AssertionError | Exception e) {
            throw new AssertionError("with seed " + seed + ": " + e, e);
        } finally {
            subscription.close();
            threads.shutdownNow();
        }
    }

    private void hear(Notification notification) {
        heard.accept(notification);
        notification.id().map(turns::get).ifPresent(Semaphore::release);
    }

    private void comeAndLeave(Random random, Claims claims) throws InterruptedException {
        AcquisitionId id = id();
        Semaphore turn = new Semaphore(0);
        turns.put(id, turn);
        boolean queues = random.nextInt(4) > 0;
        LockReply reply = counted(queues ? queue(LOCK, id) : acquire(LOCK, id));
        boolean stays = random.nextInt(3) > 0;
        while (reply instanceof LockReply.Queued && stays) {
            turn.acquire();
            assertThat(isStranded).as("a signal was missing").isFalse();
            stays = random.nextInt(6) > 0; // a thread that leaves when it was told leaves the lock to the next
            if (stays) {
                reply = counted(queue(LOCK, id));
            }
        }
        boolean granted = reply instanceof LockReply.Granted;
        if (reply instanceof LockReply.Granted grant) {
            claims.hold(LOCK, grant.token(), 0, () -> true);
        }
        assertThat(counted(release(LOCK, id))).isEqualTo(new LockReply.Released(granted));
        turns.remove(id);
    }

    private LockReply counted(LockCommand command) {
        asked.incrementAndGet();
        return ask(store, command);
    }

    private void endIfStranded() {
        long before = asked.get();
        if (!areAllWaiting()) {
            return;
        }
        signalLater();
        signalLater(); // the turns that a store finds at once it tells in any order
        if (areAllWaiting() && asked.get() == before) {
            isStranded = true;
            turns.values().forEach(Semaphore::release);
        }
    }

    /** All that are not through. */
    private boolean areAllWaiting() {
        long waiting = turns.values().stream()
                .filter(turn -> turn.availablePermits() == 0 && turn.hasQueuedThreads())
                .count();
        return waiting > 0
                && waiting
                        == workers.stream().filter(worker -> !worker.isDone()).count();
    }

    private void signalLater() {
        AcquisitionId holder = id();
        AcquisitionId next = id();
        granted(store, acquire(LATER, holder));
        waiting(store, queue(LATER, next));
        ask(store, release(LATER, holder));
        heard.awaitTurn(LATER, next);
        ask(store, release(LATER, next));
    }
}
