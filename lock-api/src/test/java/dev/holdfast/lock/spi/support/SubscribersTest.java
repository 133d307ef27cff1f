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

/** A source that fails, in whatever way, is followed again. */
class SubscribersTest {

    private static final long HANGS = TimeUnit.MINUTES.toNanos(3);

    private final List<Notification> heard = new CopyOnWriteArrayList<>();

    @Test
    void whoComesAfterAFailedStartIsTold() throws Exception {
        List<Notification> unheard = new CopyOnWriteArrayList<>();
        Queue<RuntimeException> failures = new ArrayDeque<>(List.of(new IllegalStateException("not now")));
        try (NotificationHub subscribers = new NotificationHub(() -> {
            if (!failures.isEmpty()) {
                throw failures.remove();
            }
            return new Connected();
        })) {
            assertThatThrownBy(() -> subscribers.subscribe(unheard::add)).hasMessage("not now");
            subscribers.subscribe(heard::add);
            await(() -> heard.equals(List.of(Notification.ANY)));
            assertThat(unheard).isEmpty();
        }
    }

    @Test
    void anErrorIsAnOutageLikeAnyOther() throws Exception {
        isConnectedAgainAfter(() -> {
            throw new AssertionError("the first time");
        });
    }

    @Test
    void anInterruptEndsNothing() throws Exception {
        isConnectedAgainAfter(() -> {
            Thread.currentThread().interrupt();
            throw new IOException("the first time");
        });
    }

    private void isConnectedAgainAfter(Outage outage) throws Exception {
        Queue<Outage> outages = new ArrayDeque<>(List.of(outage));
        try (NotificationHub subscribers = new NotificationHub(() -> new Connected() {
            @Override
            public void listen(ReconnectingListener listening) throws IOException {
                if (!outages.isEmpty()) {
                    listening.connected();
                    outages.remove().happen();
                }
                super.listen(listening);
            }
        })) {
            String logged = Logged.during(() -> {
                subscribers.subscribe(heard::add);
                await(() -> heard.equals(List.of(Notification.ANY, Notification.ANY)));
            });
            assertThat(logged).contains("no notifications until the store is reachable again");
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

    /** How it comes to an end. */
    @FunctionalInterface
    private interface Outage {
        void happen() throws IOException;
    }

    /** Hears nothing, until it is closed. */
    private static class Connected implements NotificationSource {

        @Override
        public void listen(ReconnectingListener listening) throws IOException {
            listening.connected();
            while (!listening.pause(1_000)) {
                // there is nothing to tell
            }
        }

        @Override
        public void stop() {
            // a pause ends with the listening
        }
    }
}
