package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;

/** What mutants of the calls to a store extend. */
abstract class MutatedCalls implements LockStore {

    private final LockStore store;

    MutatedCalls(LockStore store) {
        this.store = store;
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        return store.apply(steps, timeout);
    }

    @Override
    public void close() {
        store.close();
    }
}
