package dev.holdfast.lock.cli;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;

/** {@code lock.provider=blind}: a store that cannot tell who holds what. It is not asked for anything else. */
public final class BlindProvider implements LockProvider {

    /** For the service loader. */
    public BlindProvider() {}

    @Override
    public String name() {
        return "blind";
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return new LockStore() {
            @Override
            public List<Answer> apply(List<Step> steps, Duration timeout) {
                throw new IllegalStateException("asked for a step");
            }

            @Override
            public void close() {}
        };
    }
}
