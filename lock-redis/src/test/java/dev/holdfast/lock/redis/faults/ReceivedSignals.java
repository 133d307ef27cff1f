package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Records notifications in their order. */
public final class ReceivedSignals implements Consumer<Signal> {

    private final List<Signal> signals = new CopyOnWriteArrayList<>();

    @Override
    public void accept(Signal signal) {
        signals.add(signal);
    }

    /** How many have come so far. */
    public int count() {
        return signals.size();
    }

    /** Waits until this one has come, after so many others. */
    public void await(Signal signal, int after) {
        Await.until(
                signal + " after " + after + " signals",
                () -> signals.stream().skip(after).anyMatch(signal::equals));
    }
}
