package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.CurrentLease;
import dev.holdfast.lock.spring.Locked;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** {@code @Locked} without {@code @EnableLocks}. */
@Tag("second-build")
class LockedBeanTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, HoldfastAutoConfiguration.class, HoldfastLockedAutoConfiguration.class))
            .withPropertyValues("holdfast.provider=memory");

    @Test
    void lockedMethod_runsUnderItsLock() {
        application.withBean(Job.class).run(context -> {
            assertThat(context.getBean(Job.class).run("one")).isEqualTo("one");
        });
    }

    @Test
    void lockedMethod_calledWhileTheContextCloses_stillHasItsLock() {
        AtomicReference<String> atEnd = new AtomicReference<>();
        application
                .withBean(LastCall.class, () -> new LastCall(atEnd))
                .withBean(Job.class)
                .run(context -> context.getBean(LastCall.class).job = context.getBean(Job.class));
        assertThat(atEnd.get()).isEqualTo("last");
    }

    @Test
    void lockedMethod_whenLocksAreDisabled_failsTheStart() {
        application
                .withBean(Job.class)
                .withPropertyValues("holdfast.enabled=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("@Locked needs one bean of type " + Locks.class.getName()));
    }

    @Test
    void application_withoutLockedMethods_startsWhenLocksAreDisabled() {
        application
                .withPropertyValues("holdfast.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Job {

        @Locked("job:#{#p0}")
        public String run(String name) {
            if (CurrentLease.get().state() != LeaseState.HELD) {
                throw new IllegalStateException("the lock is not held");
            }
            return name;
        }
    }

    /** Is created before the locks, and does not depend on them. */
    static class LastCall implements DisposableBean {

        private final AtomicReference<String> atEnd;
        private Job job;

        LastCall(AtomicReference<String> atEnd) {
            this.atEnd = atEnd;
        }

        @Override
        public void destroy() {
            atEnd.set(job.run("last"));
        }
    }
}
