package dev.holdfast.lock.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignalRouterTest {

    private final SignalRouter router = new SignalRouter(Thread.currentThread());
    private final List<UnixSignal> command = new ArrayList<>();
    private final List<UnixSignal> missed = new ArrayList<>();

    @Test
    void routeTo_whenSignalArrivedBeforeStart_passesItAsMissedAndClearsInterrupt() {
        Thread signal = new Thread(() -> router.receive(UnixSignal.TERM));
        signal.setDaemon(true);
        signal.start();
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        router.routeTo(command::add, missed::add);

        assertThat(missed).containsExactly(UnixSignal.TERM);
        assertThat(command).isEmpty();
        assertThat(Thread.currentThread().isInterrupted())
                .as("the watch over the command is not disturbed")
                .isFalse();
    }

    @Test
    void routeTo_whenSignalArrivedAfterStart_passesItAsForwarded() {
        router.commandStarted();
        Thread signal = new Thread(() -> router.receive(UnixSignal.INT));
        signal.setDaemon(true);
        signal.start();
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        router.routeTo(command::add, missed::add);

        assertThat(command).containsExactly(UnixSignal.INT);
        assertThat(missed).isEmpty();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void receive_whenRouted_goesStraightToCommand() {
        router.routeTo(command::add, missed::add);

        router.receive(UnixSignal.INT);

        assertThat(command).containsExactly(UnixSignal.INT);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(router.received()).isEmpty();
    }
}
