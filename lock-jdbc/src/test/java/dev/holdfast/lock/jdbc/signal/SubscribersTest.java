package dev.holdfast.lock.jdbc.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.jdbc.server.Awaiting;
import dev.holdfast.lock.spi.Signal;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A source that fails, in whatever way, is followed again. */
class SubscribersTest {

    private final List<Signal> heard = new CopyOnWriteArrayList<>();

    @Test
    void whoComesAfterAFailedStartIsTold() throws Exception {
        List<Signal> unheard = new CopyOnWriteArrayList<>();
        Queue<RuntimeException> failures = new ArrayDeque<>(List.of(new IllegalStateException("not now")));
        try (Subscribers subscribers = new Subscribers(() -> {
            if (!failures.isEmpty()) {
                throw failures.remove();
            }
            return new Connected();
        })) {
            assertThatThrownBy(() -> subscribers.add(unheard::add)).hasMessage("not now");
            subscribers.add(heard::add);
            Awaiting.until("it is connected", () -> heard.equals(List.of(Signal.ANY)));
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
            throw new SQLException("the first time");
        });
    }

    private void isConnectedAgainAfter(Outage outage) throws Exception {
        Queue<Outage> outages = new ArrayDeque<>(List.of(outage));
        try (Subscribers subscribers = new Subscribers(() -> new Connected() {
            @Override
            public void follow(Listening listening) throws SQLException {
                if (!outages.isEmpty()) {
                    listening.connected();
                    outages.remove().happen();
                }
                super.follow(listening);
            }
        })) {
            subscribers.add(heard::add);
            Awaiting.until("it is connected again", () -> heard.equals(List.of(Signal.ANY, Signal.ANY)));
        }
    }

    /** How it comes to an end. */
    @FunctionalInterface
    private interface Outage {
        void happen() throws SQLException;
    }

    /** Hears nothing, until it is closed. */
    private static class Connected implements Source {

        @Override
        public void follow(Listening listening) throws SQLException {
            listening.connected();
            while (!listening.pause(1_000)) {
                // there is nothing to tell
            }
        }

        @Override
        public void end() {
            // a pause ends with the listening
        }
    }
}
