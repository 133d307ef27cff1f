package dev.holdfast.lock.internal;

import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a change of state leads to outside of it. Gathered while the line is locked and carried out after that, so that
 * neither a store nor an application ever runs under a lock of the engine's. Used by one thread.
 */
final class Effects {

    private final Engine engine;
    private final List<Runnable> tasks = new ArrayList<>(2);
    private final Map<Lane, List<Request>> calls = new EnumMap<>(Lane.class);

    Effects(Engine engine) {
        this.engine = engine;
    }

    void add(Runnable task) {
        tasks.add(task);
    }

    /** Has a step carried out, together with the others of this change. */
    void call(Lane lane, Step step, Duration timeout, Consumer<Reply> to) {
        calls.computeIfAbsent(lane, anyLane -> new ArrayList<>(2)).add(engine.expected(step, timeout, to));
    }

    /** Ends an id that nobody wants any more, in the background, for as long as it could matter. */
    void release(Step.Release step, Terms terms) {
        Releasing.inBackground(engine, step, terms).start(Lane.BACKGROUND, this);
    }

    /** The tasks first, as they take no time: somebody waits for what they tell. */
    void run() {
        Throwable failure = null;
        for (Runnable task : tasks) {
            failure = attempt(task, failure);
        }
        for (Map.Entry<Lane, List<Request>> call : calls.entrySet()) {
            failure = attempt(() -> engine.call(call.getKey(), call.getValue()), failure);
        }
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** One that fails keeps none of the others from being carried out. */
    private static @Nullable Throwable attempt(Runnable task, @Nullable Throwable before) {
        try {
            task.run();
            return before;
        } catch (RuntimeException | Error e) {
            if (before == null) {
                return e;
            }
            before.addSuppressed(e);
            return before;
        }
    }
}
