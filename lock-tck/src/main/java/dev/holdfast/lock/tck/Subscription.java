package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A subscription to the signals of a store, and what it has heard. */
final class Subscription implements AutoCloseable {

    private final List<Signal> heard = new CopyOnWriteArrayList<>();
    private final AutoCloseable signals;

    Subscription(LockStore store) {
        signals = store.signals(heard::add);
    }

    /** In the order in which they came. */
    List<Signal> heard() {
        return List.copyOf(heard);
    }

    void forget() {
        heard.clear();
    }

    boolean heardAny() {
        return heard.contains(Signal.ANY);
    }

    /** Whether this waiter would have asked again. */
    boolean heardFor(LockName name, AcquisitionId id) {
        return heard.stream()
                .anyMatch(signal -> signal.name().map(name::equals).orElse(true)
                        && signal.id().map(id::equals).orElse(true));
    }

    @Override
    public void close() {
        try {
            signals.close();
        } catch (Exception e) {
            throw new IllegalStateException("a subscription could not be closed", e);
        }
    }
}
