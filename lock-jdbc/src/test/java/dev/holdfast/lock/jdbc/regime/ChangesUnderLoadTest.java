package dev.holdfast.lock.jdbc.regime;

import static dev.holdfast.lock.jdbc.Steps.CALL;
import static dev.holdfast.lock.jdbc.Steps.LEASE;
import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.release;
import static dev.holdfast.lock.jdbc.regime.Authority.LINEAGE;
import static dev.holdfast.lock.jdbc.regime.Authority.REGIME_LEASE;
import static dev.holdfast.lock.jdbc.regime.Authority.assertDeposed;
import static dev.holdfast.lock.jdbc.regime.Authority.carried;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many at once: one of them makes a change, and nothing that is done under a regime is passed by the change that ends it. */
class ChangesUnderLoadTest {

    private static final int RACERS = 8;

    private final Postgres database = Postgres.withTables();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void oneOfManyMakesTheChange() throws Exception {
        try (Authority authority = Authority.on(database, "lock.jdbc.pool-size", Integer.toString(RACERS))) {
            List<Regime> founded = race(racer -> authority.store().found(REGIME_LEASE, racer, CALL));
            assertThat(Set.copyOf(founded)).hasSize(1);
            for (int round = 0; round < 3; round++) {
                long epoch = authority.regime().epoch();
                onlyOne(authority, new Transition.Prepare(epoch, LINEAGE));
                onlyOne(authority, new Transition.Burn(epoch + 1, "raced"));
                onlyOne(authority, new Transition.Prepare(epoch + 2, LINEAGE));
                onlyOne(authority, new Transition.Crown(epoch + 3));
                onlyOne(authority, new Transition.Depose(epoch + 3, "raced"));
                onlyOne(authority, new Transition.Open(epoch + 4));
                assertThat(authority.regime().epoch()).isEqualTo(epoch + 4);
            }
        }
    }

    private void onlyOne(Authority authority, Transition change) throws Exception {
        assertThat(race(racer -> authority.change(change)))
                .as("%s", change)
                .filteredOn(made -> made)
                .hasSize(1);
    }

    /** Crown and Burn start from the same regime. */
    @Test
    void oneOfTwoChangesIsMade() throws Exception {
        try (Authority authority = Authority.founded(database)) {
            for (int round = 0; round < 5; round++) {
                long epoch = authority
                        .pass(new Transition.Prepare(authority.regime().epoch(), LINEAGE))
                        .epoch();
                List<Boolean> made = race(racer -> authority.change(
                        racer % 2 == 0 ? new Transition.Crown(epoch) : new Transition.Burn(epoch, "raced")));
                assertThat(made).filteredOn(each -> each).hasSize(1);
                if (authority.change(new Transition.Depose(epoch, "raced"))) {
                    authority.pass(new Transition.Open(epoch + 1));
                }
            }
        }
    }

    private <T> List<T> race(Function<Integer, T> each) throws Exception {
        CyclicBarrier start = new CyclicBarrier(RACERS);
        List<Callable<T>> all = new ArrayList<>();
        for (int racer = 0; racer < RACERS; racer++) {
            int number = racer;
            all.add(() -> {
                start.await();
                return each.apply(number);
            });
        }
        List<T> results = new ArrayList<>();
        for (Future<T> result : threads.invokeAll(all)) {
            results.add(result.get());
        }
        return results;
    }

    @Test
    void aGrantThatIsUnderWayIsWaitedForAndListed() throws Exception {
        try (Authority authority = Authority.founded(database);
                Connection stranger = database.connect()) {
            AcquisitionId first = id();
            authority.granted(1, acquire("slow", first));
            authority.ask(1, release("slow", first));
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'slow' FOR UPDATE");

            AcquisitionId slow = id();
            Future<Answer> granted = threads.submit(() -> authority.ask(1, acquire("slow", slow)));
            awaitWaiting("transactionid");
            Future<Boolean> prepared = threads.submit(() -> authority.change(new Transition.Prepare(1, LINEAGE)));
            awaitWaiting("advisory");
            Future<Answer> tooLate = threads.submit(() -> authority.ask(1, acquire("late", id())));
            awaitWaiting("advisory", 2);
            assertThat(database.value("SELECT max(epoch) FROM holdfast_regime")).isEqualTo("1");
            stranger.rollback();

            assertThat(granted.get()).isInstanceOf(Answer.Granted.class);
            assertThat(prepared.get()).isTrue();
            assertDeposed(tooLate.get(), "PREPARE of epoch 2");
            assertThat(authority.held(2)).extracting(Carried::id).containsExactly(slow);
            assertThat(authority.regime().base()).isEqualTo(((Answer.Granted) granted.get()).token());
        }
    }

    @Test
    void anAssertionThatIsUnderWayIsWaitedForBeforeTheFallbackOpens() throws Exception {
        try (Authority authority = Authority.founded(database);
                Connection stranger = database.connect()) {
            long epoch = authority.drain().epoch();
            authority.assertOne(epoch, carried("slow", id(), 5));
            database.execute("UPDATE holdfast_lock SET until = now() - interval '1 second'");
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'slow' FOR UPDATE");
            AcquisitionId survivor = id();
            Future<Answer> asserted = threads.submit(() -> authority.assertOne(epoch, carried("slow", survivor, 6)));
            awaitWaiting("transactionid");
            Future<Boolean> opened = threads.submit(() -> authority.change(new Transition.Open(epoch)));
            awaitWaiting("advisory");
            stranger.rollback();
            assertThat(asserted.get()).isEqualTo(new Answer.Granted(6, LEASE));
            assertThat(opened.get()).isTrue();
            assertThat(authority.ask(epoch, acquire("slow", id()))).isInstanceOf(Answer.Busy.class);
        }
    }

    private void awaitWaiting(String what) {
        awaitWaiting(what, 1);
    }

    private void awaitWaiting(String what, int howMany) {
        Await.until(
                howMany + " wait: " + what,
                () -> database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND wait_event_type = 'Lock' AND wait_event = '" + what + "'")
                        .equals(Integer.toString(howMany)));
    }

    @Test
    void aLockIsHeldOnceThroughAllChanges() throws Exception {
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
                    long epoch = authority.regime().epoch();
                    authority.pass(new Transition.Prepare(epoch, LINEAGE), new Transition.Burn(epoch + 1, "a test"));
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
        if (authority.ask(authority.regime().epoch(), acquire(lock, id, LEASE.multipliedBy(100)))
                instanceof Answer.Granted granted) {
            claims.hold(lock, granted.token(), 0, () -> true);
            Await.until("it is released", () -> {
                Answer answer = authority.ask(authority.regime().epoch(), release(lock, id));
                if (answer instanceof Answer.Unavailable) {
                    assertDeposed(answer, "the regime is ");
                    return false;
                }
                assertThat(answer).isEqualTo(new Answer.Released(true));
                return true;
            });
        }
    }

    /** Nothing is ever released here, so that every grant of an epoch is still there when the next one is prepared. */
    @Test
    void everyGrantOfAnEpochIsListedInThePreparationThatEndsIt() throws Exception {
        Map<String, Long> epochs = new ConcurrentHashMap<>();
        Map<Long, Set<String>> listed = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger deposed = new AtomicInteger();
        try (Authority authority = Authority.founded(database, "lock.jdbc.pool-size", "10")) {
            List<Future<?>> workers = new ArrayList<>();
            for (int worker = 0; worker < 6; worker++) {
                int number = worker;
                workers.add(threads.submit(() -> {
                    for (int at = 0; !over.get(); at++) {
                        long epoch = authority.regime().epoch();
                        String name = number + " " + at;
                        Answer answer = authority.ask(epoch, acquire(name, id(), LEASE.multipliedBy(100)));
                        if (answer instanceof Answer.Granted) {
                            epochs.put(name, epoch);
                        } else {
                            assertDeposed(answer, "the regime is ");
                            deposed.incrementAndGet();
                        }
                    }
                }));
            }
            try {
                for (int round = 0; round < 10; round++) {
                    long epoch = authority.regime().epoch();
                    int before = epochs.size();
                    Await.until("some grants", () -> epochs.size() > before + 3);
                    Regime prepare = authority.pass(new Transition.Prepare(epoch, LINEAGE));
                    listed.put(epoch, names(authority.store().held(prepare.epoch(), Optional.empty(), 100_000, CALL)));
                    authority.pass(new Transition.Burn(prepare.epoch(), "a test"));
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
        assertThat(deposed).as("steps that met a change").hasPositiveValue();
    }

    private static Set<String> names(List<Carried> page) {
        return page.stream().map(each -> each.name().value()).collect(Collectors.toSet());
    }
}
