package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Passes everything on, and knows which id was granted last and which are gone, where one has queued, how often one asked. */
class Eavesdropper implements LockStore {

    private final LockStore store;
    private final AtomicReference<@Nullable AcquisitionId> granted = new AtomicReference<>();
    private final Set<AcquisitionId> gone = ConcurrentHashMap.newKeySet();
    private final Set<LockName> queued = ConcurrentHashMap.newKeySet();
    private final AtomicInteger acquires = new AtomicInteger();

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

    /** Whether the store has said that this id holds nothing any more. */
    boolean isGone(AcquisitionId id) {
        return gone.contains(id);
    }

    /** Whether an Acquire of this name was ever answered with a place in the queue. */
    boolean hasQueued(LockName name) {
        return queued.contains(name);
    }

    /** How many Acquires were sent. */
    int acquires() {
        return acquires.get();
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public int parallelCalls() {
        return store.parallelCalls();
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        acquires.addAndGet(
                (int) steps.stream().filter(Step.Acquire.class::isInstance).count());
        List<Answer> answers = store.apply(steps, timeout);
        for (int i = 0; i < answers.size(); i++) {
            if (steps.get(i) instanceof Step.Acquire && answers.get(i) instanceof Answer.Granted) {
                granted.set(steps.get(i).id());
            }
            if (answers.get(i) instanceof Answer.Gone) {
                gone.add(steps.get(i).id());
            }
            if (answers.get(i) instanceof Answer.Waiting) {
                queued.add(steps.get(i).name());
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
