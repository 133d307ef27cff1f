package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks and transactions of the same thread. */
@Tag("second-build")
class LockedTransactionsTest {

    private AnnotationConfigApplicationContext context;
    private Service service;
    private Probe probe;
    private RecordedTransactions transactions;
    private TransactionTemplate template;

    @BeforeEach
    void start() {
        context = Contexts.of(Beans.class);
        service = context.getBean(Service.class);
        probe = context.getBean(Probe.class);
        transactions = context.getBean(RecordedTransactions.class);
        template = new TransactionTemplate(transactions);
    }

    @AfterEach
    void close() {
        assertThat(TransactionHolds.ofThread()).isEmpty();
        assertThat(LockScope.current()).isNull();
        context.close();
    }

    @Test
    void lock_ofTransactionalMethod_wrapsTheTransaction() {
        service.transactional();
        assertThat(transactions.events()).containsExactly("begin locked", "commit locked");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void lease_whenLostBeforeCommit_rollsBack() {
        assertThatThrownBy(service::loseInTransaction).isInstanceOf(LockLostException.class);
        assertThat(transactions.kinds()).containsExactly("begin", "rollback");
    }

    @Test
    void lease_whenLostInTransactionThatTheBodyBegan_rollsBack() {
        assertThatThrownBy(() -> service.lose(() -> template.executeWithoutResult(status -> Service.awaitLoss())))
                .isInstanceOf(LockLostException.class);
        assertThat(transactions.kinds()).containsExactly("begin", "rollback");
    }

    @Test
    void lease_whenLostWhileOthersFlush_rollsBack() {
        assertThatThrownBy(() -> service.lose(() -> template.executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                Service.awaitLoss();
                            }

                            @Override
                            public int getOrder() {
                                return 0;
                            }
                        }))))
                .isInstanceOf(LockLostException.class);
        assertThat(transactions.kinds()).containsExactly("begin", "rollback");
    }

    @Test
    void lease_ofAnOuterMethod_whenLostInTransactionOfAnInnerOne_rollsBack() {
        assertThatThrownBy(() -> service.lose(() -> service.transactionalUnderAnother(() ->
                        Await.until("it is lost", () -> CurrentLease.get("x").state() == LeaseState.LOST))))
                .isInstanceOf(LockLostException.class);
        assertThat(transactions.kinds()).containsExactly("begin", "rollback");
    }

    @Test
    void lock_takenInsideTransaction_isHeldUntilItHasEnded() {
        template.executeWithoutResult(status -> {
            service.plain();
            assertThat(CurrentLease.optional()).isEmpty();
            assertThat(probe.isFree("x")).isFalse();
        });
        assertThat(transactions.events()).containsExactly("begin free", "commit locked");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void lock_takenInsideTransactionThatRollsBack_isHeldUntilThen() {
        assertThatThrownBy(() -> template.executeWithoutResult(status -> {
                    service.plain();
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(transactions.events()).containsExactly("begin free", "rollback locked");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void lock_takenTwiceInOneTransaction_isJoined() {
        template.executeWithoutResult(status -> {
            long first = service.plain();
            assertThat(service.plain()).isEqualTo(first);
            TransactionTemplate inner = new TransactionTemplate(transactions);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            assertThat(inner.<Long>execute(another -> service.plain())).isEqualTo(first);
            assertThat(probe.isFree("x")).isFalse();
        });
        assertThat(transactions.events())
                .containsExactly("begin free", "begin locked", "commit locked", "commit locked");
    }

    @Test
    void lease_takenInsideTransactionAndLostAfterTheMethod_rollsBack() {
        assertThatThrownBy(() -> template.executeWithoutResult(status -> {
                    service.shortLived();
                    Await.until("the lease is over", () -> probe.isFree("x"));
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(transactions.events()).containsExactly("begin free", "rollback free");
    }

    @Test
    void lock_ofFutureInsideTransaction_isHeldUntilBothHaveEnded() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        AtomicReference<CompletableFuture<String>> returned = new AtomicReference<>();
        template.executeWithoutResult(status -> returned.set(service.future(work)));
        assertThat(probe.isFree("x")).isFalse();
        work.complete("done");
        assertThat(Await.result(returned.get())).isEqualTo("done");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void lock_takenInsideTransaction_isWarnedOfOncePerMethod() {
        try (StandardError log = StandardError.listen()) {
            template.executeWithoutResult(status -> service.plain());
            template.executeWithoutResult(status -> service.plain());
            assertThat(log.lines()
                            .filter(line -> line.contains("acquired its lock inside a transaction"))
                            .filter(line -> line.contains(getClass().getSimpleName()))) // others run beside this
                    .singleElement()
                    .asString()
                    .contains("Service.plain()");
        }
    }

    static class Service {

        @Locked("x")
        long plain() {
            return CurrentLease.token();
        }

        @Locked("x")
        @Transactional
        void transactional() {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
        }

        @Locked(value = "x", fixedLease = "100ms")
        @Transactional
        void loseInTransaction() {
            awaitLoss();
        }

        @Locked("y")
        @Transactional
        void transactionalUnderAnother(Runnable body) {
            body.run();
        }

        @Locked(value = "x", fixedLease = "100ms")
        void lose(Runnable body) {
            body.run();
        }

        @Locked(value = "x", fixedLease = "2s")
        void shortLived() {}

        @Locked("x")
        CompletableFuture<String> future(CompletableFuture<String> work) {
            return work;
        }

        static void awaitLoss() {
            Await.until("the lease is lost", () -> CurrentLease.get().state() == LeaseState.LOST);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = LockedConfiguration.ORDER + 1)
    static class Beans {

        @Bean
        static RecordedTransactions transactions(Probe probe) {
            return new RecordedTransactions(probe, "x");
        }

        @Bean
        Service service() {
            return new Service();
        }
    }
}
