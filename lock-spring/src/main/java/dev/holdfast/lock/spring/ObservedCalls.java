package dev.holdfast.lock.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Observations of calls of locked methods, so that a trace shows how long a call waited for its locks, and how long it held them.
 * Costs nothing without an observer. Loaded only if micrometer-observation is present. Thread-safe.
 */
final class ObservedCalls {

    static final String WAITING = "holdfast.locked.waiting";
    static final String HOLDING = "holdfast.locked.holding";

    private final Supplier<@Nullable ObservationRegistry> registry;

    /** Observations in the application's registry, if it has one. */
    static ObservedCalls by(BeanFactory beanFactory) {
        return new ObservedCalls(SingletonSupplier.ofNullable(
                () -> beanFactory.getBeanProvider(ObservationRegistry.class).getIfUnique()));
    }

    /** @param registry null if there is none */
    private ObservedCalls(Supplier<@Nullable ObservationRegistry> registry) {
        this.registry = registry;
    }

    /** The wait for these locks; its result is {@code granted}, {@code skipped} or {@code error}. */
    @Nullable
    LockScope waiting(LockedMethod method, List<String> names, Wait wait) throws InterruptedException {
        Observation observation = start(WAITING, method, names);
        if (observation == null) {
            return wait.await();
        }
        String result = "error";
        Observation.Scope current = observation.openScope();
        try {
            LockScope scope = wait.await();
            result = scope == null ? "skipped" : "granted";
            return scope;
        } catch (InterruptedException | RuntimeException e) {
            observation.error(e);
            throw e;
        } finally {
            current.close();
            observation.lowCardinalityKeyValue("result", result).stop();
        }
    }

    /** The body of the method, up to the completion of its future if it returns one. */
    @Nullable
    Object holding(LockedMethod method, List<String> names, LockScope.Body body) throws Throwable {
        Observation observation = start(HOLDING, method, names);
        if (observation == null) {
            return body.call();
        }
        boolean isOver = true;
        Observation.Scope current = observation.openScope();
        try {
            Object result = body.call();
            if (result instanceof CompletionStage<?> stage) {
                isOver = false;
                return stage.whenComplete((value, thrown) -> end(observation, thrown));
            }
            return result;
        } catch (Throwable e) {
            observation.error(e);
            throw e;
        } finally {
            current.close();
            if (isOver) {
                observation.stop();
            }
        }
    }

    private static void end(Observation observation, @Nullable Throwable thrown) {
        if (thrown != null) {
            observation.error(thrown);
        }
        observation.stop();
    }

    private @Nullable Observation start(String name, LockedMethod method, List<String> names) {
        ObservationRegistry observing = registry.get();
        if (observing == null || observing.isNoop()) {
            return null;
        }
        String code =
                method.targetClass().getSimpleName() + "." + method.method().getName();
        return Observation.createNotStarted(name, observing)
                .contextualName(code + (name.equals(WAITING) ? " waiting" : " locked"))
                .lowCardinalityKeyValue("method", code)
                .highCardinalityKeyValue("locks", String.join(", ", names))
                .start();
    }

    /** Acquires. */
    @FunctionalInterface
    interface Wait {

        /** @return null if the call is to be skipped */
        @Nullable
        LockScope await() throws InterruptedException;
    }
}
