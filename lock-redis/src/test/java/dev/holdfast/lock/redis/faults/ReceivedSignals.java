package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Records notifications in their order. */
public final class ReceivedSignals implements Consumer<Notification> {

    private final List<Notification> signals = new CopyOnWriteArrayList<>();

    @Override
    public void accept(Notification signal) {
        signals.add(signal);
    }

    /** How many have come so far. */
    public int count() {
        return signals.size();
    }

    /** Waits until this one has come, after so many others. */
    public void await(Notification signal, int after) {
        Await.until(
                signal + " after " + after + " signals",
                () -> signals.stream().skip(after).anyMatch(signal::equals));
    }
}
