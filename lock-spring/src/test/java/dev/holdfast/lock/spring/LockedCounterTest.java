package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A counter in PostgreSQL that is read and then written: exact if the lock wraps the transaction, and wrong if it does not. */
@Tag("second-build")
class LockedCounterTest {

    private static final int EACH = 150;

    private final PostgresServer server = PostgresServer.shared();
    private String url;
    private JdbcTemplate jdbc;

    @BeforeEach
    void createTables() throws SQLException {
        url = server.newDatabase();
        jdbc = new JdbcTemplate(new DriverManagerDataSource(url, server.username(), server.password()));
        jdbc.execute("CREATE TABLE counter (id integer PRIMARY KEY, value integer NOT NULL)");
        jdbc.execute("INSERT INTO counter VALUES (1, 0)");
        jdbc.execute("CREATE TABLE step (value integer NOT NULL, token bigint NOT NULL)");
    }

    @Test
    void counter_ofTwoProcesses_isExact(@TempDir Path directory) throws Exception {
        Path errors = directory.resolve("errors");
        Process other = new ProcessBuilder(JavaCommand.of(
                        CounterProcess.class, directory, List.of(url, server.username(), server.password(), "" + EACH)))
                .redirectErrorStream(true)
                .redirectOutput(errors.toFile())
                .start();
        try {
            Await.until("the other process counts", () -> value() > 0 || !other.isAlive());
            CounterProcess.count(url, server.username(), server.password(), EACH);
            assertThat(other.waitFor(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(other.exitValue()).as(Files.readString(errors)).isZero();
        } finally {
            other.destroyForcibly();
        }
        assertThat(value()).isEqualTo(2 * EACH);
        assertThat(jdbc.queryForList("SELECT value FROM step ORDER BY token", Integer.class))
                .as("the steps in the order of their tokens")
                .isSorted()
                .doesNotHaveDuplicates()
                .hasSize(2 * EACH);
    }

    @Test
    void counter_whenTheLockWrapsTheTransaction_isExact() throws Exception {
        assertThat(countTwice(counter -> counter::lockedOutside)).isEqualTo(2);
    }

    @Test
    void counter_whenTheLockIsReleasedInsideTheTransaction_isWrong() throws Exception {
        assertThat(countTwice(counter -> counter::lockedByHandInside)).isEqualTo(1);
    }

    @Test
    void counter_whenTheOrderIsReversed_isExactAsTheLockIsHeldUntilTheCommit() throws Exception {
        assertThat(countTwice(counter -> counter::lockedInside)).isEqualTo(2);
    }

    /** Two threads count; the first does not commit before the second has read, or waits for the lock. */
    private int countTwice(Function<Counter, Runnable> way) throws Exception {
        try (Locks locks = Contexts.locks();
                AnnotationConfigApplicationContext context = Contexts.with(locks, Map.of("url", url), Beans.class)) {
            Counter counter = context.getBean(Counter.class);
            AtomicReference<Thread> second = new AtomicReference<>();
            FutureTask<?> secondCall = new FutureTask<>(way.apply(counter), null);
            counter.beforeCommit(() -> {
                if (second.compareAndSet(null, new Thread(secondCall, "second"))) {
                    second.get().start();
                    Await.until(
                            "the second has read, or waits",
                            () -> counter.reads() == 2 || isWaitingForLock(second.get()) || secondCall.isDone());
                }
            });
            way.apply(counter).run();
            Await.result(secondCall);
        }
        return value();
    }

    private static boolean isWaitingForLock(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("acquireOne"));
    }

    private int value() {
        return jdbc.queryForObject("SELECT value FROM counter WHERE id = 1", Integer.class);
    }

    static class Counter {

        private final JdbcTemplate jdbc;
        private final Locks locks;
        private final AtomicInteger reads = new AtomicInteger();
        private volatile Runnable beforeCommit = () -> {};

        Counter(DataSource dataSource, Locks locks) {
            this.jdbc = new JdbcTemplate(dataSource);
            this.locks = locks;
        }

        int reads() {
            return reads.get();
        }

        void beforeCommit(Runnable action) {
            beforeCommit = action;
        }

        @Locked("counter")
        @Transactional("inner")
        void lockedOutside() {
            increment();
        }

        /** As it is written without the annotation, too often. */
        @Transactional("inner")
        void lockedByHandInside() {
            try {
                locks.named("counter").run(this::increment);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** The transaction begins in an interceptor around this one. */
        @Locked("counter")
        void lockedInside() {
            increment();
        }

        private void increment() {
            int value = jdbc.queryForObject("SELECT value FROM counter WHERE id = 1", Integer.class);
            reads.incrementAndGet();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    beforeCommit.run();
                }
            });
            jdbc.update("UPDATE counter SET value = ? WHERE id = 1", value + 1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Beans {

        @Bean
        DataSource dataSource(Environment environment) {
            PostgresServer server = PostgresServer.shared();
            return new DriverManagerDataSource(
                    environment.getRequiredProperty("url"), server.username(), server.password());
        }

        @Bean
        JdbcTransactionManager inner(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Counter counter(DataSource dataSource, Locks locks) {
            return new Counter(dataSource, locks);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor transactionOutside(ObjectProvider<JdbcTransactionManager> manager) {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.addMethodName("lockedInside");
            MethodInterceptor advice = call -> new TransactionTemplate(manager.getObject()).execute(status -> {
                try {
                    return call.proceed();
                } catch (Throwable e) {
                    throw new IllegalStateException(e);
                }
            });
            var advisor = new DefaultPointcutAdvisor(pointcut, advice);
            advisor.setOrder(LockedConfiguration.ORDER - 1);
            return advisor;
        }
    }
}
