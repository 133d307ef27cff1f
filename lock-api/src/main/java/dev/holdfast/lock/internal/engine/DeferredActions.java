package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a change of state leads to outside of it. Gathered while the line is locked and carried out after that, so that
 * neither a store nor an application ever runs under a lock of the engine's. Used by one thread.
 */
final class DeferredActions {

    /** The caller's own last: it may take a while. */
    private static final List<Lane> LANES = List.of(Lane.ORPHANS, Lane.BACKGROUND, Lane.RENEWAL, Lane.CALLER);

    private final Engine engine;
    private final List<Runnable> tasks = new ArrayList<>(2);
    private final List<Call> calls = new ArrayList<>(1);
    private @Nullable Runnable afterwards;

    private record Call(Lane lane, StoreRequest request) {}

    DeferredActions(Engine engine) {
        this.engine = engine;
    }

    void add(Runnable task) {
        tasks.add(task);
    }

    /** Has this done once the calls were made, which may be when they are over; one of these at most. */
    void afterwards(Runnable task) {
        afterwards = task;
    }

    /** Has a step carried out, together with the others of this change. */
    void call(Lane lane, Step step, Duration timeout, Consumer<StoreResponse> to) {
        calls.add(new Call(lane, engine.expected(step, timeout, to)));
    }

    /**
     * Ends an id that is wanted no more, for as long as it could matter.
     *
     * @param lane {@link Lane#BACKGROUND} if somebody asks for the same lock in the same call, else {@link Lane#ORPHANS}
     */
    void release(Step.Release step, LeaseOptions terms, Lane lane) {
        ReleaseRetry.orphan(engine, step, terms).start(lane, this);
    }

    /** The tasks first, as they take no time: somebody waits for what they tell. One that fails keeps no other from its turn. */
    void run() {
        Throwable failure = null;
        for (Runnable task : tasks) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                failure = both(failure, e);
            }
        }
        for (Lane lane : calls.isEmpty() ? List.<Lane>of() : LANES) {
            try {
                List<StoreRequest> its = of(lane);
                if (!its.isEmpty()) {
                    engine.call(lane, its);
                }
            } catch (RuntimeException | Error e) {
                failure = both(failure, e);
            }
        }
        if (afterwards != null) {
            try {
                afterwards.run();
            } catch (RuntimeException | Error e) {
                failure = both(failure, e);
            }
        }
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private List<StoreRequest> of(Lane lane) {
        List<StoreRequest> its = new ArrayList<>(calls.size());
        for (Call call : calls) {
            if (call.lane() == lane) {
                its.add(call.request());
            }
        }
        return its;
    }

    private static Throwable both(@Nullable Throwable before, Throwable failure) {
        if (before == null) {
            return failure;
        } else if (before != failure) { // the JVM has but one error for some occasions
            before.addSuppressed(failure);
        }
        return before;
    }
}
