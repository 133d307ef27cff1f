package dev.holdfast.lock.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** ShedLock's own annotation and aspect, on this module's provider. */
class SchedulerLockTest {

    @Test
    void job_whoseLockIsHeld_isSkipped() throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Beans.class)) {
            Locks locks = context.getBean(Locks.class);
            Jobs jobs = context.getBean(Jobs.class);
            jobs.report();
            try (Lease other = locks.named("report").acquire()) {
                jobs.report();
                assertThat(other.isHeld()).isTrue();
            }
            jobs.report();
            assertThat(jobs.freeDuringRuns()).containsExactly(false, false);
        }
    }

    @Test
    void job_withinItsShortestTime_isSkipped() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Beans.class)) {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.nightly();
            jobs.nightly();
            assertThat(jobs.nights()).isEqualTo(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableSchedulerLock(defaultLockAtMostFor = "5m")
    static class Beans {

        @Bean
        Locks locks() {
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "memory");
            properties.setProperty("lock.namespace", "scheduler-lock-" + System.nanoTime());
            return Locks.openResolved(properties);
        }

        @Bean
        HoldfastLockProvider lockProvider(Locks locks) {
            return new HoldfastLockProvider(locks);
        }

        @Bean
        Jobs jobs(Locks locks) {
            return new Jobs(locks);
        }
    }

    static class Jobs {

        private final List<Boolean> freeDuringRuns = new ArrayList<>();
        private int nights;

        private final Locks locks;

        Jobs(Locks locks) {
            this.locks = locks;
        }

        /** Not a field that is read: the proxy has none of them. */
        List<Boolean> freeDuringRuns() {
            return freeDuringRuns;
        }

        int nights() {
            return nights;
        }

        @SchedulerLock(name = "report")
        public void report() {
            LockAssert.assertLocked();
            freeDuringRuns.add(locks.named("report").tryAcquire().isPresent());
        }

        @SchedulerLock(name = "nightly", lockAtLeastFor = "5m")
        public void nightly() {
            nights++;
        }
    }
}
