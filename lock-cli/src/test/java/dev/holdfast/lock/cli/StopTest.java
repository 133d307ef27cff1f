package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.cli.command.Signal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StopTest {

    private final Stop stop = new Stop(Thread.currentThread());
    private final List<Signal> command = new ArrayList<>();
    private final List<Signal> missed = new ArrayList<>();

    @Test
    void aSignalThatComesWhileTheCommandStartsIsTheCommands() {
        Thread signal = new Thread(() -> stop.receive(Signal.TERM));
        signal.setDaemon(true);
        signal.start();
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        stop.forward(command::add, missed::add);

        assertThat(missed).containsExactly(Signal.TERM);
        assertThat(command).isEmpty();
        assertThat(Thread.currentThread().isInterrupted())
                .as("the watch over the command is not disturbed")
                .isFalse();
    }

    @Test
    void aSignalThatComesOnceThereIsAProcessIsNotTakenForMissed() {
        stop.started();
        Thread signal = new Thread(() -> stop.receive(Signal.INT));
        signal.setDaemon(true);
        signal.start();
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        stop.forward(command::add, missed::add);

        assertThat(command).containsExactly(Signal.INT);
        assertThat(missed).isEmpty();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void laterOnesGoStraightToTheCommand() {
        stop.forward(command::add, missed::add);

        stop.receive(Signal.INT);

        assertThat(command).containsExactly(Signal.INT);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(stop.received()).isEmpty();
    }
}
