package dev.holdfast.lock.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Observations of calls of locked methods, so that a trace shows how long a call waited for its locks, and how long it held them.
 * Costs nothing without an observer. Loaded only if micrometer-observation is present. Thread-safe.
 */
final class ObservedCalls {

    static final String WAITING = "holdfast.locked.waiting";
    static final String HOLDING = "holdfast.locked.holding";

    private static final Logger log = LoggerFactory.getLogger(ObservedCalls.class);

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
        Observed observed = begin(WAITING, method, names);
        if (observed == null) {
            return wait.await();
        }
        String result = "error";
        try {
            LockScope scope = wait.await();
            result = scope == null ? "skipped" : "granted";
            return scope;
        } catch (InterruptedException | RuntimeException e) {
            observed.failed(e);
            throw e;
        } finally {
            observed.leaveThread();
            observed.end(result);
        }
    }

    /** The body of the method, up to the completion of its future if it returns one. */
    @Nullable
    Object holding(LockedMethod method, List<String> names, LockScope.Body body) throws Throwable {
        Observed observed = begin(HOLDING, method, names);
        if (observed == null) {
            return body.call();
        }
        boolean isOver = true;
        try {
            Object result = body.call();
            if (result instanceof CompletionStage<?> stage) {
                isOver = false;
                return stage.whenComplete((value, thrown) -> end(observed, thrown));
            }
            return result;
        } catch (Throwable e) {
            observed.failed(e);
            throw e;
        } finally {
            observed.leaveThread();
            if (isOver) {
                observed.end();
            }
        }
    }

    private static void end(Observed observed, @Nullable Throwable thrown) {
        if (thrown != null) {
            observed.failed(thrown);
        }
        observed.end();
    }

    private @Nullable Observed begin(String name, LockedMethod method, List<String> names) {
        ObservationRegistry observing = registry.get();
        if (observing == null || observing.isNoop()) {
            return null;
        }
        String code =
                method.targetClass().getSimpleName() + "." + method.method().getName();
        try {
            Observation observation = Observation.createNotStarted(name, observing)
                    .contextualName(code + (name.equals(WAITING) ? " waiting" : " locked"))
                    .lowCardinalityKeyValue("method", code)
                    .highCardinalityKeyValue("locks", String.join(", ", names));
            return new Observed(method, observing, observation);
        } catch (RuntimeException | Error e) { // of a predicate of the application
            logFailure(method, e);
            return null;
        }
    }

    private static void logFailure(LockedMethod method, Throwable failure) {
        try {
            log.error("an observation of {} failed, which does not affect the call", method, failure);
        } catch (RuntimeException | Error e) { // the failure cannot be printed, and the call may hold its locks by now
            log.error(
                    "an observation of {} failed, which does not affect the call: {}",
                    method,
                    failure.getClass().getName());
        }
    }

    /**
     * An observation from its begin to its end. Its handlers are code of the application. One that throws is logged, as the call goes on:
     * it may hold its locks by then, and its body may have run.
     */
    private static final class Observed {

        private final LockedMethod method;
        private final ObservationRegistry registry;
        private final Observation observation;
        private Observation.@Nullable Scope scope;

        /** Begins it, on this thread. */
        Observed(LockedMethod method, ObservationRegistry registry, Observation observation) {
            this.method = method;
            this.registry = registry;
            this.observation = observation;
            guarded(observation::start);
            guarded(() -> scope = observation.openScope());
            Observation.Scope open = registry.getCurrentObservationScope();
            if (scope == null && open != null && open.getCurrentObservation() == observation) {
                scope = open; // though a handler threw
            }
        }

        private void guarded(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                logFailure(method, e);
            }
        }

        void leaveThread() {
            Observation.Scope open = scope;
            if (open != null) {
                guarded(open::close);
                if (registry.getCurrentObservationScope() == open) { // as a handler threw
                    registry.setCurrentObservationScope(open.getPreviousObservationScope());
                }
            }
        }

        void failed(Throwable thrown) {
            guarded(() -> observation.error(thrown));
        }

        void end(String result) {
            guarded(() -> observation.lowCardinalityKeyValue("result", result));
            end();
        }

        void end() {
            guarded(observation::stop);
        }
    }

    /** Acquires. */
    @FunctionalInterface
    interface Wait {

        /** @return null if the call is to be skipped */
        @Nullable
        LockScope await() throws InterruptedException;
    }
}
