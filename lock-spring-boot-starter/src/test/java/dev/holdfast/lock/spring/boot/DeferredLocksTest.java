package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.LeaderElection;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** {@code holdfast.fail-fast=false}: an application that starts while the store of its locks is down. */
@Tag("second-build")
class DeferredLocksTest {

    private static final Duration PAUSE = Duration.ofMillis(10);

    private final AtomicBoolean down = new AtomicBoolean(true);
    private final MemorySpace space = new MemorySpace();

    @Test
    void application_whoseStoreIsDown_startsAndIsNotUp() {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        HoldfastAutoConfiguration.class,
                        HoldfastLockedAutoConfiguration.class,
                        HoldfastHealthAutoConfiguration.class))
                .withBean(ApplicationShapesTest.Job.class)
                .withPropertyValues("holdfast.redis.uri=redis://127.0.0.1:1");
        application.run(context -> assertThat(context).hasFailed());
        application.withPropertyValues("holdfast.fail-fast=false").run(context -> {
            Locks locks = context.getBean(Locks.class);
            assertThat(locks.provider()).isEqualTo("redis");
            ApplicationShapesTest.Job job = context.getBean(ApplicationShapesTest.Job.class);
            assertThatThrownBy(() -> job.isHeld(locks))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:1");
            assertThat(context.getBean(HealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.UNKNOWN);
        });
        application
                .withPropertyValues("holdfast.fail-fast=false", "holdfast.lease=1ms")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("holdfast.lease"));
    }

    @Test
    void everythingAskedForBefore_worksOnceTheStoreAnswers() throws Exception {
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch elected = new CountDownLatch(1);
        try (Locks locks = deferred()) {
            DistributedLock lock = locks.named("one").withLease(Duration.ofSeconds(60));
            LockListener listener = new LockListener() {
                @Override
                public void acquired(String name, LeaseKind kind, long fencingToken, Duration waited) {
                    granted.countDown();
                }
            };
            locks.addListener(listener);
            LeaderElection election = locks.elect("leader", candidate(elected));
            LeaderElection closed = locks.elect("closed", candidate(new CountDownLatch(1)));
            closed.close();
            assertThat(List.of(lock.name(), election.name())).containsExactly("one", "leader");
            assertThat(election.isLeader()).isFalse();
            assertThatThrownBy(lock::acquire).isInstanceOf(LockUnavailableException.class);
            assertThat(lock.acquireAsync()).isCompletedExceptionally();
            assertThatThrownBy(() -> locks.admin().ping()).isInstanceOf(LockUnavailableException.class);

            down.set(false);
            Await.until("it is elected", election::isLeader);

            try (Lease lease = lock.acquire()) {
                assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(40));
                assertThat(locks.named("one").tryAcquire()).isEmpty();
            }
            assertThat(locks.named("closed").tryAcquire()).isPresent();
            locks.admin().ping();
            Await.opened(granted);
            Await.opened(elected);
        }
        assertThat(space.namesInUse()).isLessThanOrEqualTo(3); // tombstones alone
    }

    /** As a bean keeps one in a field, and as Spring Integration's leader initiator asks the registry for one when it starts. */
    @Test
    @SuppressWarnings("LockNotBeforeTry") // what is locked here ends with the test
    void locksOfTheJdk_askedForBefore_lockOnceTheStoreAnswers() throws Exception {
        try (Locks locks = deferred()) {
            DistributedLock one = locks.named("one");
            Lock lock = one.withLease(Duration.ofSeconds(60)).asLock();
            ReadWriteLock pair = locks.named("two").asReadWriteLock();
            Lock reading = pair.readLock();
            assertThatThrownBy(lock::lock).isInstanceOf(LockUnavailableException.class);
            assertThatThrownBy(lock::tryLock).isInstanceOf(LockUnavailableException.class);
            assertThatThrownBy(reading::tryLock).isInstanceOf(LockUnavailableException.class);
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            assertThat(one.currentThreadLease()).isEmpty();
            assertThat(lock).hasToString("Lock of a store that has not answered yet");

            down.set(false);
            Await.until("the locks are open", () -> isGranted(locks));

            lock.lock();
            assertThat(one.currentThreadLease())
                    .hasValueSatisfying(lease -> assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(40)));
            lock.unlock();
            assertThat(one.currentThreadLease()).isEmpty();
            assertThat(pair.writeLock().tryLock()).isTrue();
            assertThat(reading.tryLock()).as("the writer reads").isTrue();
            assertThat(locks.named("two").tryAcquire()).isEmpty();
            reading.unlock();
            pair.writeLock().unlock();
            assertThat(locks.named("two").tryAcquire()).isPresent();
            assertThat(lock.toString()).doesNotContain("not answered");
        }
    }

    @Test
    void wrongSetting_seenLate_isReportedByEachCall() {
        AtomicBoolean wrong = new AtomicBoolean();
        try (Locks locks = DeferredLocks.open(
                "memory",
                () -> {
                    if (wrong.get()) {
                        throw new LockConfigurationException("the tables are missing");
                    }
                    throw new LockUnavailableException("no answer", null);
                },
                PAUSE)) {
            wrong.set(true);
            Await.until("it is seen", () -> {
                try {
                    locks.named("one").tryAcquire();
                    return false;
                } catch (LockConfigurationException e) {
                    return true;
                } catch (LockUnavailableException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void error_thatPasses_doesNotEndTheAttempts() {
        AtomicInteger attempts = new AtomicInteger();
        try (Locks locks = DeferredLocks.open(
                "memory",
                () -> switch (attempts.incrementAndGet()) {
                    case 1 -> throw new LockUnavailableException("no answer", null);
                    case 2 -> throw new OutOfMemoryError("unable to create native thread, on purpose");
                    default -> Locks.openResolved(space.open(), new Properties());
                },
                PAUSE)) {
            Await.until("the locks are open", () -> isGranted(locks));
        }
    }

    /** Such as an election for which there is no memory. */
    @Test
    void error_ofWhatWasAskedForBefore_neitherOpensTheLocksTwiceNorKeepsTheRestFromThem() {
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger failures = new AtomicInteger(1);
        CountDownLatch granted = new CountDownLatch(1);
        try (Locks locks = DeferredLocks.open(
                "memory",
                () -> {
                    if (down.get()) {
                        throw new LockUnavailableException("no answer", null);
                    }
                    opened.incrementAndGet();
                    return failing(Locks.openResolved(space.open(), new Properties()), failures);
                },
                PAUSE)) {
            locks.addListener(new LockListener() {});
            locks.addListener(new LockListener() {
                @Override
                public void acquired(String name, LeaseKind kind, long fencingToken, Duration waited) {
                    granted.countDown();
                }
            });
            down.set(false);
            Await.until("the locks are open", () -> isGranted(locks));
            Await.until("the second listener is told", () -> isGranted(locks) && granted.getCount() == 0);
            assertThat(opened).hasValue(1);
        }
    }

    /** Locks of which adding a listener throws an error, as often as this. */
    private static Locks failing(Locks locks, AtomicInteger failures) {
        return (Locks) Proxy.newProxyInstance(
                Locks.class.getClassLoader(), new Class<?>[] {Locks.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("addListener") && failures.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("there is no room for a listener, on purpose");
                    }
                    return method.invoke(locks, arguments);
                });
    }

    private static boolean isGranted(Locks locks) {
        try (Lease lease = locks.named("one").tryAcquire().orElseThrow()) {
            return lease.isHeld();
        } catch (LockUnavailableException e) {
            return false;
        }
    }

    /** Through it, providers and drivers of the application are found. */
    @Test
    void everyAttempt_hasTheContextClassLoaderOfTheFirst() {
        Set<ClassLoader> loaders = ConcurrentHashMap.newKeySet();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader ofTheApplication = new ClassLoader(before) {};
        thread.setContextClassLoader(ofTheApplication);
        Locks locks;
        try {
            locks = DeferredLocks.open(
                    "memory",
                    () -> {
                        loaders.add(Thread.currentThread().getContextClassLoader());
                        if (Thread.currentThread() == thread) {
                            throw new LockUnavailableException("no answer", null);
                        }
                        return Locks.openResolved(space.open(), new Properties());
                    },
                    PAUSE);
        } finally {
            thread.setContextClassLoader(before);
        }
        try (locks) {
            Await.until("the locks are open", () -> isGranted(locks));
            assertThat(loaders).containsExactly(ofTheApplication);
        }
    }

    private Locks deferred() {
        return DeferredLocks.open(
                "memory",
                () -> {
                    if (down.get()) {
                        throw new LockUnavailableException("no answer", null);
                    }
                    return Locks.openResolved(space.open(), new Properties());
                },
                PAUSE);
    }

    private static LeaderCandidate candidate(CountDownLatch elected) {
        return new LeaderCandidate() {
            @Override
            public void elected(Lease lease) {
                elected.countDown();
            }
        };
    }
}
