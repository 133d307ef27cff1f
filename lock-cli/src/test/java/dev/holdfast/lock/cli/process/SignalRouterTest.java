package dev.holdfast.lock.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signals before and after the start of the command. */
class SignalRouterTest {

    private final SignalRouter router = new SignalRouter(Thread.currentThread(), status -> {});
    private final List<UnixSignal> command = new ArrayList<>();
    private final List<UnixSignal> missed = new ArrayList<>();

    @Test
    void routeTo_whenSignalArrivedBeforeStart_passesItAsMissedAndClearsInterrupt() {
        receiveOnAnotherThread(UnixSignal.TERM);

        router.routeTo(command::add, missed::add);

        assertThat(missed).containsExactly(UnixSignal.TERM);
        assertThat(command).isEmpty();
        assertThat(Thread.currentThread().isInterrupted())
                .as("whether the wait for the command would be interrupted")
                .isFalse();
    }

    @Test
    void routeTo_whenSignalArrivedAfterStart_passesItAsForwarded() {
        router.commandStarted();
        receiveOnAnotherThread(UnixSignal.INT);

        router.routeTo(command::add, missed::add);

        assertThat(command).containsExactly(UnixSignal.INT);
        assertThat(missed).isEmpty();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void receive_ofASignalThatEndsNothing_waitsForTheCommandOrIsDropped() {
        router.receive(UnixSignal.WINCH);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(router.received()).isEmpty();
        router.commandStarted();
        router.receive(UnixSignal.CONT);

        router.routeTo(command::add, missed::add);

        assertThat(command).containsExactly(UnixSignal.CONT);
        assertThat(missed).isEmpty();
    }

    @Test
    void receive_whenRouted_goesStraightToCommand() {
        router.routeTo(command::add, missed::add);

        router.receive(UnixSignal.INT);

        assertThat(command).containsExactly(UnixSignal.INT);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(router.received()).isEmpty();
    }

    /** Returns when the signal has interrupted this thread. */
    private void receiveOnAnotherThread(UnixSignal signal) {
        Thread thread = new Thread(() -> router.receive(signal));
        thread.setDaemon(true);
        thread.start();
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }
}
