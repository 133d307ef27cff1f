package dev.holdfast.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.Logged;
import dev.holdfast.lock.spi.Notification;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The hub reconnects a source after any failure. */
@Isolated("captures the log of all threads")
class NotificationHubTest {

    private static final long HANGS = TimeUnit.MINUTES.toNanos(3);

    private final List<Notification> heard = new CopyOnWriteArrayList<>();

    @Test
    void subscribe_afterAFailedStart_isNotified() throws Exception {
        List<Notification> failed = new CopyOnWriteArrayList<>();
        Queue<RuntimeException> failures = new ArrayDeque<>(List.of(new IllegalStateException("not now")));
        try (NotificationHub hub = new NotificationHub(() -> {
            if (!failures.isEmpty()) {
                throw failures.remove();
            }
            return new Connected();
        })) {
            assertThatThrownBy(() -> hub.subscribe(failed::add)).hasMessage("not now");
            hub.subscribe(heard::add);
            await(() -> heard.equals(List.of(Notification.ANY)));
            assertThat(failed).isEmpty();
        }
    }

    @Test
    void source_thatThrowsAnError_isReconnected() throws Exception {
        assertReconnectsAfter(() -> {
            throw new AssertionError("the first time");
        });
    }

    @Test
    void source_thatIsInterrupted_isReconnected() throws Exception {
        assertReconnectsAfter(() -> {
            Thread.currentThread().interrupt();
            throw new IOException("the first time");
        });
    }

    @Test
    void listener_thatFails_isLoggedAndTheOthersAreNotified() throws Exception {
        try (NotificationHub hub = new NotificationHub(Connected::new)) {
            String logged = Logged.during(
                    () -> hub.subscribe(notification -> {
                        throw new IllegalStateException("on purpose");
                    }),
                    "IllegalStateException: on purpose");
            assertThat(logged).contains("WARN", "a subscriber threw on a notification");
            hub.subscribe(heard::add);
            await(() -> heard.contains(Notification.ANY));
        }
    }

    private void assertReconnectsAfter(Outage outage) throws Exception {
        Queue<Outage> outages = new ArrayDeque<>(List.of(outage));
        try (NotificationHub hub = new NotificationHub(() -> new Connected() {
            @Override
            public void listen(ReconnectingListener listener) throws IOException {
                if (!outages.isEmpty()) {
                    listener.connected();
                    outages.remove().happen();
                }
                super.listen(listener);
            }
        })) {
            String logged = Logged.during(() -> {
                hub.subscribe(heard::add);
                await(() -> heard.equals(List.of(Notification.ANY, Notification.ANY)));
            });
            assertThat(logged)
                    .containsOnlyOnce(
                            "WARN dev.holdfast.lock.spi.support.ReconnectingListener - no notifications until the store"
                                    + " is reachable again")
                    .containsOnlyOnce(
                            "INFO dev.holdfast.lock.spi.support.ReconnectingListener - notifications of the store"
                                    + " arrive again");
        }
    }

    private void await(BooleanSupplier connected) {
        long start = System.nanoTime();
        while (!connected.getAsBoolean()) {
            assertThat(System.nanoTime() - start)
                    .as("nanoseconds; heard: %s", heard)
                    .isLessThan(HANGS);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The failure that ends a connection. */
    @FunctionalInterface
    private interface Outage {
        void happen() throws IOException;
    }

    /** A connection without notifications, until it is closed. */
    private static class Connected implements NotificationSource {

        @Override
        public void listen(ReconnectingListener listener) throws IOException {
            listener.connected();
            while (!listener.pause(1_000)) {
                // there are no notifications
            }
        }

        @Override
        public void stop() {
            // closing the listener ends the pause
        }
    }
}
