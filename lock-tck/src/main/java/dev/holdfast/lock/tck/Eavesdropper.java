package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Passes everything on, and knows which id was granted last. */
final class Eavesdropper implements LockStore {

    private final LockStore store;
    private final AtomicReference<@Nullable AcquisitionId> granted = new AtomicReference<>();

    Eavesdropper(LockStore store) {
        this.store = store;
    }

    AcquisitionId granted() {
        AcquisitionId id = granted.get();
        if (id == null) {
            throw new Broken("a lease was acquired, but the store has granted nothing");
        }
        return id;
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        List<Answer> answers = store.apply(steps, timeout);
        for (int i = 0; i < answers.size(); i++) {
            if (steps.get(i) instanceof Step.Acquire && answers.get(i) instanceof Answer.Granted) {
                granted.set(steps.get(i).id());
            }
        }
        return answers;
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return store.signals(to);
    }

    @Override
    public void close() {
        store.close();
    }
}
