package dev.holdfast.lock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.Logged;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A listener that is slow or fails does not affect the other listeners. */
@Isolated("captures the log of all threads")
class SlowOrFailingListenersTest extends ScriptedEvents {

    @Test
    void listener_thatIsSlowOrFails_doesNotDelayTheOthers() {
        events.add(new Notes() {
            @Override
            public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
                throw new IllegalStateException("on purpose");
            }
        });
        events.add(notes);
        put("one");
        put("two");
        events.tell();
        Runnable firstDelivery = threads.remove();
        runAll();
        assertThat(notes.names).as("while the first listener has not begun").containsExactly("one", "two");

        assertThat(Logged.during(firstDelivery::run)).contains("threw on an event");
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
    void listener_whoseFailureCannotBeLogged_receivesTheNextEvents() {
        events.add(new Notes() {
            @Override
            public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
                notes.acquireFailed(name, kind, reason, waited);
                if (name.equals("one")) {
                    throw new Unprintable();
                }
            }
        });
        put("one");
        put("two");
        events.tell();
        assertThat(Logged.during(() -> assertThatThrownBy(this::runAll).hasMessage("on purpose")))
                .contains("threw on an event");
        put("three");
        events.tell();
        runAll();

        assertThat(notes.names).containsExactly("one", "two", "three");
    }

    @Test
    void listener_whenTwentyOthersHang_isCalled() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        try (Locks locks = Locks.open(new Refusing(), new Properties())) {
            for (int number = 0; number < 20; number++) {
                locks.addListener(new Notes() {
                    @Override
                    public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
                        await(end);
                    }
                });
            }
            locks.addListener(new Notes() {
                @Override
                public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
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
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            return Collections.nCopies(commands.size(), new LockReply.Busy(Duration.ofSeconds(1)));
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
