package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Passes everything on, and knows what was asked and answered, and what was heard. Thread-safe. */
class Eavesdropper implements LockStore {

    private final LockStore store;
    private final Deque<Asked> asked = new ConcurrentLinkedDeque<>();
    private final List<Signal> heard = new CopyOnWriteArrayList<>();
    private final AtomicInteger acquires = new AtomicInteger();

    Eavesdropper(LockStore store) {
        this.store = store;
    }

    /** All that was answered, in the order of the answers. */
    List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** What the last Acquire asked for that was granted. */
    Asked granted() {
        for (var latest = asked.descendingIterator(); latest.hasNext(); ) {
            Asked each = latest.next();
            if (each.step() instanceof Step.Acquire && each.answer() instanceof Answer.Granted) {
                return each;
            }
        }
        throw new Broken("a lease was acquired, but the store has granted nothing");
    }

    /** Whether an Acquire of this name was ever answered with a place in the queue. */
    boolean hasQueued(LockName name) {
        return asked.stream()
                .anyMatch(each -> each.answer() instanceof Answer.Waiting
                        && each.step().name().equals(name));
    }

    /** How many Acquires were sent. */
    int acquires() {
        return acquires.get();
    }

    /** The signals that came, in their order. */
    List<Signal> heard() {
        return List.copyOf(heard);
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
        long sent = System.nanoTime();
        List<Answer> answers = store.apply(steps, timeout);
        long answered = System.nanoTime();
        for (int i = 0; i < answers.size(); i++) {
            asked.add(new Asked(steps.get(i), answers.get(i), sent, answered));
        }
        return answers;
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return store.signals(signal -> {
            heard.add(signal);
            to.accept(signal);
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
