package dev.holdfast.lock.bench.inprocess;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A store that says the same to everybody, and at once: for one process it is as good as a real one. */
final class StoreAtOnce implements LockStore {

    private static final Answer RELEASED = new Answer.Released(true);

    private final Answer toAcquire;

    private StoreAtOnce(Answer toAcquire) {
        this.toAcquire = toAcquire;
    }

    /** Every lock is free. */
    static LockStore granting() {
        return new StoreAtOnce(new Answer.Granted(1, Duration.ofSeconds(30)));
    }

    /** Every lock is held by another process. */
    static LockStore busy() {
        return new StoreAtOnce(new Answer.Busy(Duration.ofSeconds(30)));
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        if (steps.size() == 1) {
            return List.of(answer(steps.get(0)));
        }
        List<Answer> answers = new ArrayList<>(steps.size());
        for (Step step : steps) {
            answers.add(answer(step));
        }
        return answers;
    }

    private Answer answer(Step step) {
        return step instanceof Step.Release ? RELEASED : toAcquire;
    }

    @Override
    public void close() {
        // there is nothing
    }
}
