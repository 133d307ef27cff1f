package dev.holdfast.lock.locks;

import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that contend for groups of locks, or for a JDK lock, exclude each other. */
class ContentionTest {

    private static final int ROUNDS = 20 * Integer.getInteger("lock.test.scale", 1);

    private final WatchedStore store = new WatchedStore(InstantSource.system());
    private final Locks locks = Locks.open(store, new Properties());
    private final Locks elsewhere = Locks.open(store, new Properties());
    private final History history = new History();
    private final List<Person> people = new ArrayList<>();
    private final List<Future<?>> work = new ArrayList<>();

    @AfterEach
    void close() {
        people.forEach(Person::close);
        locks.close();
        elsewhere.close();
    }

    @Test
    void acquireAll_inOppositeOrders_excludesWithoutDeadlock() throws Exception {
        acquireRepeatedly("ann", locks, List.of("a", "b", "c"));
        acquireRepeatedly("bob", elsewhere, List.of("c", "b", "a"));
        acquireRepeatedly("carl", locks, List.of("b", "c", "a"));

        awaitEnd();
        history.verify(3 * 3 * ROUNDS);
    }

    private void acquireRepeatedly(String name, Locks process, List<String> names) {
        Claims claims = history.claimsOf(name);
        begin(name, () -> {
            for (int round = 0; round < ROUNDS; round++) {
                try (LeaseGroup group = process.acquireAll(names, Await.HANG)) {
                    List<Long> holds = names.stream()
                            .map(each -> claims.granted(each, group.fencingToken(each)))
                            .toList();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    holds.forEach(hold -> claims.isHeld(hold, group::isHeld));
                }
            }
        });
    }

    @Test
    void asLock_lockedByManyThreads_excludesEachOther() throws Exception {
        AtomicLong order = new AtomicLong(); // the JDK's lock shows no token
        for (int number = 0; number < 6; number++) {
            String name = "person " + number;
            Claims claims = history.claimsOf(name);
            begin(name, () -> {
                for (int round = 0; round < ROUNDS; round++) {
                    Lock lock = locks.named("job").asLock();
                    lock.lock();
                    try {
                        claims.hold("job", order.incrementAndGet(), 0, () -> true);
                    } finally {
                        lock.unlock();
                    }
                }
            });
        }

        awaitEnd();
        history.verify(6 * ROUNDS);
    }

    private void begin(String name, Person.Order order) {
        Person person = new Person(name);
        people.add(person);
        work.add(person.begins(order));
    }

    private void awaitEnd() throws Exception {
        for (Future<?> each : work) {
            Person.result(each);
        }
    }
}
