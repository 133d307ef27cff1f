package dev.holdfast.lock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Listeners are told in order, of no more than so much at a time, and what they are not told of is counted. */
@ResourceLock(Resources.SYSTEM_ERR)
class EventsTest {

    private final Queue<Runnable> threads = new ArrayDeque<>();
    private Moment now = new Moment(0, 0);
    private boolean isExhausted;
    private final Events events = new Events(() -> now, this::execute);

    private void execute(Runnable task) {
        if (isExhausted) {
            throw new OutOfMemoryError("unable to create native thread, on purpose");
        }
        threads.add(task);
    }

    /** A listener that writes down what it hears. */
    private static class Notes implements LockListener {
        final List<String> names = new ArrayList<>();

        @Override
        public void gaveUp(String name, Duration waited) {
            names.add(name);
        }
    }

    private final Notes notes = new Notes();

    private void put(String name) {
        put(name, false);
    }

    private void put(String name, boolean rare) {
        events.put(listener -> listener.gaveUp(name, Duration.ZERO), rare);
    }

    private void runAll() {
        for (Runnable task = threads.poll(); task != null; task = threads.poll()) {
            task.run();
        }
    }

    @Test
    void theOrderIsThatInWhichTheyWerePutDownWhoeverHasThemTold() {
        events.add(notes);
        put("one");
        put("two");
        events.tell();
        put("three");
        events.tell();
        events.tell();

        assertThat(threads).as("threads for one listener").hasSize(1);
        runAll();
        assertThat(notes.names).containsExactly("one", "two", "three");
    }

    @Test
    void whatComesWhileAListenerIsToldIsToldAfterIt() {
        events.add(new Notes() {
            @Override
            public void gaveUp(String name, Duration waited) {
                if (name.equals("one")) {
                    put("two");
                    events.tell();
                    assertThat(threads).as("another thread for the same").isEmpty();
                }
                notes.gaveUp(name, waited);
            }
        });
        put("one");
        events.tell();
        runAll();

        assertThat(notes.names).containsExactly("one", "two");
    }

    @Test
    void aListenerThatIsSlowOrFailsKeepsNoOtherFromBeingTold() {
        events.add(new Notes() {
            @Override
            public void gaveUp(String name, Duration waited) {
                throw new IllegalStateException("on purpose");
            }
        });
        events.add(notes);
        put("one");
        put("two");
        events.tell();
        Runnable ofTheFirst = threads.remove();
        runAll();
        assertThat(notes.names).as("while the other has not begun").containsExactly("one", "two");

        assertThat(Logged.during(ofTheFirst::run)).contains("a listener failed");
    }

    @Test
    void ofASlowListenerSoManyWaitAndWhatIsDroppedIsCounted() {
        events.add(notes);
        for (int number = 0; number < Events.MOST + 5; number++) {
            put("event " + number);
        }
        put("loss", true);
        assertThat(Logged.during(events::tell)).contains("WARN").contains("5 events were dropped");
        put("one more");
        assertThat(Logged.during(events::tell)).as("so soon").isEmpty();
        now = now.plus(Duration.ofSeconds(10));
        assertThat(Logged.during(events::tell)).contains("1 events were dropped");
        put("yet one more");

        assertThat(Logged.during(this::runAll)).contains("1 events were dropped");
        assertThat(notes.names)
                .hasSize(Events.MOST + 1)
                .startsWith("event 0", "event 1")
                .endsWith("event " + (Events.MOST - 1), "loss");
        put("later");
        assertThat(Logged.during(events::tell)).isEmpty();
        runAll();
        assertThat(notes.names).endsWith("loss", "later");
    }

    @Test
    void lossesAreBoundedToo() {
        events.add(notes);
        for (int number = 0; number < 2 * Events.MOST_WITH_RARE; number++) {
            put("loss " + number, true);
        }
        assertThat(Logged.during(events::tell)).contains(Events.MOST_WITH_RARE + " events were dropped");
        runAll();
        assertThat(notes.names).hasSize(Events.MOST_WITH_RARE);
    }

    @Test
    void whereNoThreadWasToBeHadTheNextEventTriesAgain() {
        events.add(notes);
        put("one");
        isExhausted = true;
        assertThat(Logged.during(events::tell)).contains("a listener is told later");
        isExhausted = false;
        put("two");
        events.tell();
        runAll();

        assertThat(notes.names).containsExactly("one", "two");
    }

    /** A failure that cannot even be logged. */
    private static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("on purpose");
        }
    }

    @Test
    void aListenerIsToldOfWhatFollowsThoughItsFailureCannotBeLogged() {
        events.add(new Notes() {
            @Override
            public void gaveUp(String name, Duration waited) {
                notes.gaveUp(name, waited);
                if (name.equals("one")) {
                    throw new Unprintable();
                }
            }
        });
        put("one");
        put("two");
        events.tell();
        assertThat(Logged.during(() -> assertThatThrownBy(this::runAll).hasMessage("on purpose")))
                .contains("a listener failed");
        put("three");
        events.tell();
        runAll();

        assertThat(notes.names).containsExactly("one", "two", "three");
    }

    @Test
    void aListenerIsToldHoweverManyOthersAreSlow() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        try (Locks locks = Locks.open(new Refusing(), new Properties())) {
            for (int number = 0; number < 20; number++) {
                locks.addListener(new Notes() {
                    @Override
                    public void gaveUp(String name, Duration waited) {
                        await(end);
                    }
                });
            }
            locks.addListener(new Notes() {
                @Override
                public void gaveUp(String name, Duration waited) {
                    told.countDown();
                }
            });
            assertThat(locks.named("job").tryAcquire()).isEmpty();

            assertThat(told.await(3, TimeUnit.MINUTES)).isTrue();
        } finally {
            end.countDown();
        }
    }

    /** A store in which every lock is busy. */
    private static final class Refusing implements LockStore {
        @Override
        public List<Answer> apply(List<Step> steps, Duration timeout) {
            return Collections.nCopies(steps.size(), new Answer.Busy(Duration.ofSeconds(1)));
        }

        @Override
        public void close() {}
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }
}
