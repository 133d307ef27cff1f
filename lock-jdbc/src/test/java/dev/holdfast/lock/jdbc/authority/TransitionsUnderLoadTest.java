package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.authority.Authority.REPLICATION_ID;
import static dev.holdfast.lock.jdbc.authority.Authority.assertStale;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.ManyThreads;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transitions under load: no command takes effect after the state that allowed it. */
@Tag("first-build")
class TransitionsUnderLoadTest extends ManyThreads {

    @Test
    void lock_duringTransitionsUnderLoad_hasOneHolder() throws Exception {
        long seed = System.nanoTime();
        History history = new History();
        try (Authority authority = Authority.founded(database, "lock.jdbc.pool-size", "10")) {
            AtomicBoolean over = new AtomicBoolean();
            List<Future<?>> workers = new ArrayList<>();
            for (int worker = 0; worker < 6; worker++) {
                Random random = new Random(seed + worker);
                Claims claims = history.claimsOf("worker " + worker);
                workers.add(threads.submit(() -> {
                    while (!over.get()) {
                        takeOnce(authority, "lock " + random.nextInt(2), claims);
                    }
                    return null;
                }));
            }
            try {
                for (int round = 0; round < 10; round++) {
                    int before = history.holds().size();
                    Await.until(
                            "some holds",
                            () -> history.holds().size() > before + 30
                                    || workers.stream().anyMatch(Future::isDone));
                    long epoch = authority.state().epoch();
                    authority.pass(
                            new Transition.BeginFailback(epoch, REPLICATION_ID),
                            new Transition.AbortFailback(epoch + 1, "a test"));
                }
            } finally {
                over.set(true);
            }
            for (Future<?> worker : workers) {
                Await.result(worker);
            }
        }
        assertThat(history.violations()).as("with seed " + seed).isEmpty();
        history.verify(300);
    }

    /** In the epoch that it is; what it holds it gives back in whichever comes. */
    private static void takeOnce(Authority authority, String lock, Claims claims) {
        AcquisitionId id = id();
        if (authority.ask(authority.state().epoch(), acquire(lock, id, LEASE.multipliedBy(100)))
                instanceof LockReply.Granted granted) {
            claims.hold(lock, granted.token(), 0, () -> true);
            Await.until("it is released", () -> {
                LockReply reply = authority.ask(authority.state().epoch(), release(lock, id));
                if (reply instanceof LockReply.Unavailable) {
                    assertStale(reply, "the authority state is ");
                    return false;
                }
                assertThat(reply).isEqualTo(new LockReply.Released(true));
                return true;
            });
        }
    }

    /** Nothing is ever released here, so that every grant of an epoch is still there when the next one is prepared. */
    @Test
    void failback_listsEveryGrantOfTheEpochBefore() throws Exception {
        Map<String, Long> epochs = new ConcurrentHashMap<>();
        Map<Long, Set<String>> listed = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger stale = new AtomicInteger();
        try (Authority authority = Authority.founded(database, "lock.jdbc.pool-size", "10")) {
            List<Future<?>> workers = new ArrayList<>();
            for (int worker = 0; worker < 6; worker++) {
                int number = worker;
                workers.add(threads.submit(() -> {
                    for (int at = 0; !over.get(); at++) {
                        long epoch = authority.state().epoch();
                        String name = number + " " + at;
                        LockReply reply = authority.ask(epoch, acquire(name, id(), LEASE.multipliedBy(100)));
                        if (reply instanceof LockReply.Granted) {
                            epochs.put(name, epoch);
                        } else {
                            assertStale(reply, "the authority state is ");
                            stale.incrementAndGet();
                        }
                    }
                }));
            }
            try {
                for (int round = 0; round < 10; round++) {
                    long epoch = authority.state().epoch();
                    int before = epochs.size();
                    Await.until("some grants", () -> epochs.size() > before + 3);
                    AuthorityState prepare = authority.pass(new Transition.BeginFailback(epoch, REPLICATION_ID));
                    listed.put(
                            epoch, names(authority.store().leases(prepare.epoch(), Optional.empty(), 100_000, CALL)));
                    authority.pass(new Transition.AbortFailback(prepare.epoch(), "a test"));
                }
            } finally {
                over.set(true);
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        }
        long last = listed.keySet().stream().mapToLong(each -> each).max().orElseThrow();
        epochs.forEach((name, epoch) -> {
            if (epoch <= last) {
                assertThat(listed.get(epoch)).as("granted in epoch %s", epoch).contains(name);
            }
        });
        assertThat(stale).as("commands refused by a transition").hasPositiveValue();
    }

    private static Set<String> names(List<TransferredLease> page) {
        return page.stream().map(each -> each.name().value()).collect(Collectors.toSet());
    }
}
