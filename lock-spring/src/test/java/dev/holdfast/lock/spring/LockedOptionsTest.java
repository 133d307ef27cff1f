package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** Attributes of the annotations, each as it shows in a call, and what a body does with its lease. */
class LockedOptionsTest {

    @Test
    void lease_isAsLongAsTheAnnotationSays_andAFixedOneCanBeExtended() {
        try (AnnotationConfigApplicationContext context = Contexts.of(Service.class)) {
            Service service = context.getBean(Service.class);
            assertThat(service.ofDefault())
                    .as("the time left of a lease")
                    .isBetween(Duration.ZERO, Duration.ofMinutes(1));
            assertThat(service.renewed()).isGreaterThan(Duration.ofMinutes(5));
            assertThat(service.extended()).isGreaterThan(Duration.ofMinutes(5));
        }
    }

    @Test
    void loss_isReportedToTheBody() {
        try (AnnotationConfigApplicationContext context = Contexts.of(Service.class)) {
            CountDownLatch told = new CountDownLatch(1);
            assertThatThrownBy(() -> context.getBean(Service.class).shortLived(told))
                    .hasMessageContaining("'short'");
            assertThat(told.getCount()).isZero();
        }
    }

    @Test
    void acquireTimeout_ofSeveralLocks_endsTheWait() throws Exception {
        try (AnnotationConfigApplicationContext context = Contexts.of(Service.class);
                Lease other = context.getBean(Locks.class).named("y").acquire()) {
            FutureTask<Void> call = new FutureTask<>(context.getBean(Service.class)::soon, null);
            Thread thread = new Thread(call, "caller");
            thread.setDaemon(true);
            thread.start();
            assertThatThrownBy(() -> Await.result(call)).hasCauseInstanceOf(LockTimeoutException.class);
            assertThat(other.isHeld()).isTrue();
            assertThat(context.getBean(Probe.class).isFree("x")).isTrue();
        }
    }

    @Test
    void order_ofTheAnnotation_isThatOfTheInterceptor_unlessThePropertyIsSet() {
        assertThat(order(Map.of())).isEqualTo(5);
        assertThat(order(Map.of(LockedConfiguration.ORDER_PROPERTY, "7"))).isEqualTo(7);
        try (AnnotationConfigApplicationContext context = Contexts.of(Service.class)) {
            assertThat(context.getBean("holdfastLockedAdvisor", LockedAdvisor.class)
                            .getOrder())
                    .isEqualTo(LockedConfiguration.ORDER);
        }
    }

    private static int order(Map<String, Object> properties) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
            context.register(Ordered.class);
            context.refresh();
            return context.getBean("holdfastLockedAdvisor", LockedAdvisor.class).getOrder();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocks(order = 5)
    static class Ordered {}

    static class Service {

        @Locked("x")
        Duration ofDefault() {
            return CurrentLease.get().remaining();
        }

        @Locked(value = "x", lease = "10m")
        Duration renewed() {
            return CurrentLease.get().remaining();
        }

        @Locked(value = "x", fixedLease = "1m")
        Duration extended() {
            CurrentLease.get().extend(Duration.ofMinutes(10));
            return CurrentLease.get().remaining();
        }

        @Locked(value = "short", fixedLease = "100ms")
        void shortLived(CountDownLatch told) {
            CurrentLease.get().onLost(loss -> told.countDown());
            Await.opened(told);
        }

        @Locked(
                value = {"x", "y"},
                acquireTimeout = "500ms")
        void soon() {}
    }
}
