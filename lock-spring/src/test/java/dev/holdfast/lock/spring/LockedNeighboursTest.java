package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Role;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** {@code @Locked} beside other annotations of the same method: what runs inside of what. */
class LockedNeighboursTest {

    private AnnotationConfigApplicationContext context;
    private Service service;
    /** Without its proxy, for its fields. */
    private Service target;

    private Probe probe;
    private Locks locks;

    @BeforeEach
    void start() {
        context = Contexts.of(Beans.class);
        service = context.getBean(Service.class);
        target = (Service) AopProxyUtils.getSingletonTarget(service);
        probe = context.getBean(Probe.class);
        locks = context.getBean(Locks.class);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void async_isOutside_soThatTheExecutorsThreadHoldsTheLock() throws Exception {
        CompletableFuture<String> result;
        try (Lease other = locks.named("async").acquire()) {
            result = service.async(); // does not wait here
            assertThat(result.isDone()).isFalse();
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(Await.result(result)).isEqualTo("[async] on executor");
        assertThat(probe.isFree("async")).isTrue();
    }

    @Test
    void retry_isOutside_soThatEachAttemptLocksAnew() {
        assertThat(service.retried()).isEqualTo("done");
        assertThat(target.tokens).hasSize(3).isSorted().doesNotHaveDuplicates();
        assertThat(target.freeBetween).containsExactly(true, true, true);
    }

    @Test
    void retry_ofBusyLock_triesAgain() throws Exception {
        try (Lease other = locks.named("busy").acquire()) {
            target.beforeAttempt = attempt -> {
                if (attempt == 2) {
                    other.release();
                }
            };
            assertThat(service.retriedWhileBusy()).isEqualTo("done");
        }
    }

    @Test
    void scheduled_whenBusy_isSkippedAndRunsAgainLater() throws Exception {
        Await.until("the job has run", () -> target.runs.get() > 2);
        try (Lease other = locks.named("job").acquire()) {
            int before = target.skippable.get();
            Await.until("the schedule goes on", () -> target.skippable.get() > before + 2);
            assertThat(other.isHeld()).isTrue();
        }
        int runs = target.runs.get();
        Await.until("the job runs again", () -> target.runs.get() > runs);
        assertThat(target.failures).isEmpty();
    }

    @Test
    void interceptorOfSmallerOrder_likeSecuritys_isOutside() throws Exception {
        service.secured();
        assertThat(target.lockedInSecurity).containsExactly(false);
        try (Lease other = locks.named("secured").acquire()) {
            assertThatThrownBy(() -> service.secured()).isInstanceOf(LockTimeoutException.class);
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(target.lockedInSecurity).containsExactly(false, true);
    }

    /** An action before an attempt. */
    interface BeforeAttempt {
        void run(int attempt);
    }

    static class Service {
        final List<Long> tokens = new CopyOnWriteArrayList<>();
        final List<Boolean> freeBetween = new CopyOnWriteArrayList<>();
        final List<Boolean> lockedInSecurity = new CopyOnWriteArrayList<>();
        final List<Throwable> failures = new CopyOnWriteArrayList<>();
        final AtomicInteger runs = new AtomicInteger();
        final AtomicInteger skippable = new AtomicInteger();
        volatile BeforeAttempt beforeAttempt = attempt -> {};

        @Async
        @Locked("async")
        public CompletableFuture<String> async() {
            return CompletableFuture.completedFuture(
                    CurrentLease.names() + " on " + Thread.currentThread().getName());
        }

        @Retryable(maxRetries = 2, delay = 1)
        @Locked("retried")
        public String retried() {
            tokens.add(CurrentLease.token());
            if (tokens.size() < 3) {
                throw new IllegalStateException("attempt " + tokens.size());
            }
            return "done";
        }

        @Retryable(maxRetries = 100, delay = 1)
        @Locked(value = "busy", acquireTimeout = "0s")
        public String retriedWhileBusy() {
            return "done";
        }

        @Scheduled(fixedDelay = 1)
        @Locked(value = "job", acquireTimeout = "0s", onBusy = OnBusy.SKIP)
        public void job() {
            runs.incrementAndGet();
        }

        @Locked(value = "secured", acquireTimeout = "0s")
        public void secured() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableScheduling
    @EnableResilientMethods
    @EnableAspectJAutoProxy
    static class Beans {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean(destroyMethod = "shutdown")
        ExecutorService taskExecutor() {
            return Executors.newSingleThreadExecutor(work -> new Thread(work, "executor"));
        }

        /** Beside each lock, with the order of Spring Security's last interceptor before a method. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor security(Probe probe) {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.addMethodName("secured");
            MethodInterceptor advice = call -> {
                ((Service) call.getThis()).lockedInSecurity.add(!probe.isFree("secured"));
                return call.proceed();
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, advice);
            advisor.setOrder(600);
            return advisor;
        }

        /** Sees each attempt between the retries and the lock. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor attempts(Probe probe) {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedNames("retried", "retriedWhileBusy", "job");
            AtomicInteger attempt = new AtomicInteger();
            MethodInterceptor advice = call -> {
                Service service = (Service) call.getThis();
                switch (call.getMethod().getName()) {
                    case "retried" -> service.freeBetween.add(probe.isFree("retried"));
                    case "retriedWhileBusy" -> service.beforeAttempt.run(attempt.incrementAndGet());
                    default -> service.skippable.incrementAndGet();
                }
                try {
                    return call.proceed();
                } catch (Throwable e) {
                    if (call.getMethod().getName().equals("job")) {
                        service.failures.add(e);
                    }
                    throw e;
                }
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, advice);
            advisor.setOrder(900);
            return advisor;
        }
    }
}
