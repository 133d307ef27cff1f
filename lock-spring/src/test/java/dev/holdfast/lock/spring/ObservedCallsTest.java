package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Unprintable;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a trace shows of locked methods. */
class ObservedCallsTest {

    @Test
    void call_isObservedAsItsWaitAndItsHold() {
        try (AnnotationConfigApplicationContext context = Contexts.of(Observed.class, Shop.class)) {
            context.getBean(Shop.class).sell(42);

            assertThat(stopped(context))
                    .containsExactly(
                            "holdfast.locked.waiting Shop.sell [item:42] granted",
                            "inside holdfast.locked.holding",
                            "holdfast.locked.holding Shop.sell [item:42]");
        }
    }

    @Test
    void future_isObservedToItsEnd() {
        try (AnnotationConfigApplicationContext context = Contexts.of(Observed.class, Shop.class)) {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = context.getBean(Shop.class).later(work);
            assertThat(stopped(context)).hasSize(1);
            work.complete("done");
            assertThat(result.join()).isEqualTo("done");
            assertThat(stopped(context)).hasSize(2);
        }
    }

    @Test
    void busyLock_isObservedWithItsErrorOrAsSkipped() throws Exception {
        try (AnnotationConfigApplicationContext context = Contexts.of(Observed.class, Shop.class);
                Lease lease = context.getBean(Locks.class).named("till").acquire()) {
            assertThatThrownBy(context.getBean(Shop.class)::count).isInstanceOf(LockTimeoutException.class);
            context.getBean(Shop.class).skip();
            assertThat(lease.isHeld()).isTrue();

            assertThat(stopped(context))
                    .containsExactly(
                            "holdfast.locked.waiting Shop.count [till] error LockTimeoutException",
                            "holdfast.locked.waiting Shop.skip [till] skipped");
        }
    }

    /** Handlers are code of the application. */
    @ParameterizedTest
    @EnumSource
    void call_whenAnObservationHandlerThrows_runsAndReleasesItsLocks(Step step) {
        mustRunAndRelease(new Failing(step, true));
    }

    @ParameterizedTest
    @EnumSource
    void call_whenAnObservationHandlerThrowsWhatCannotBeLogged_runsAndReleasesItsLocks(Step step) {
        mustRunAndRelease(new Failing(step, false));
    }

    private static void mustRunAndRelease(Failing handler) {
        try (AnnotationConfigApplicationContext context = Contexts.of(Observed.class, Shop.class)) {
            Shop shop = context.getBean(Shop.class);
            Probe probe = context.getBean(Probe.class);
            context.getBean(ObservationRegistry.class).observationConfig().observationHandler(handler);

            shop.sell(42);
            assertThat(context.getBean(Recorder.class).stopped).contains("inside holdfast.locked.holding");
            assertThat(probe.isFree("item:42")).isTrue();

            assertThat(shop.later(CompletableFuture.completedFuture("done"))).isCompletedWithValue("done");
            assertThat(probe.isFree("future")).isTrue();

            assertThatThrownBy(shop::fail).isInstanceOf(UnsupportedOperationException.class);
            assertThat(probe.isFree("failing")).isTrue();
            assertThat(context.getBean(ObservationRegistry.class).getCurrentObservationScope())
                    .isNull();
        }
    }

    private static List<String> stopped(AnnotationConfigApplicationContext context) {
        return context.getBean(Recorder.class).stopped;
    }

    static class Shop {

        private final ObservationRegistry registry;
        private final Recorder recorder;

        Shop(ObservationRegistry registry, Recorder recorder) {
            this.registry = registry;
            this.recorder = recorder;
        }

        @Locked("item:#{#id}")
        public void sell(long id) {
            recorder.stopped.add(
                    "inside " + registry.getCurrentObservation().getContext().getName());
        }

        @Locked("future")
        public CompletableFuture<String> later(CompletableFuture<String> work) {
            return work;
        }

        @Locked("failing")
        public void fail() {
            throw new UnsupportedOperationException("of the body");
        }

        @Locked(value = "till", acquireTimeout = "0s")
        public void count() {}

        @Locked(value = "till", onBusy = OnBusy.SKIP)
        public void skip() {}
    }

    private enum Step {
        START,
        SCOPE_OPENED,
        SCOPE_CLOSED,
        ERROR,
        STOP
    }

    /** Throws at one step of each observation. */
    private record Failing(Step step, boolean isLoggable) implements ObservationHandler<Observation.Context> {

        private void fail(Step present) {
            if (present == step) {
                throw isLoggable ? new IllegalStateException("no " + step) : new Unprintable();
            }
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStart(Observation.Context context) {
            fail(Step.START);
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            fail(Step.SCOPE_OPENED);
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            fail(Step.SCOPE_CLOSED);
        }

        @Override
        public void onError(Observation.Context context) {
            fail(Step.ERROR);
        }

        @Override
        public void onStop(Observation.Context context) {
            fail(Step.STOP);
        }
    }

    static class Recorder implements ObservationHandler<Observation.Context> {

        private final List<String> stopped = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStop(Observation.Context context) {
            KeyValue result = context.getLowCardinalityKeyValue("result");
            stopped.add(context.getName() + " "
                    + context.getLowCardinalityKeyValue("method").getValue() + " ["
                    + context.getHighCardinalityKeyValue("locks").getValue() + "]"
                    + (result == null ? "" : " " + result.getValue())
                    + (context.getError() == null
                            ? ""
                            : " " + context.getError().getClass().getSimpleName()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Observed {

        @Bean
        Recorder recorder() {
            return new Recorder();
        }

        @Bean
        ObservationRegistry observations(Recorder recorder) {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(recorder);
            return registry;
        }
    }
}
