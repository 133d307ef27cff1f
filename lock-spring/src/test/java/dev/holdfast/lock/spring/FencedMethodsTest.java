package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.fencing.StaleLeaseException;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code @Locked(fenced = true)}: the transaction of the method enters the fence first. */
@Tag("first-build")
class FencedMethodsTest {

    private static final String TOKENS = "SELECT token FROM holdfast_fence WHERE name = 'note'";

    private final PostgresServer server = PostgresServer.shared();
    private String url;
    private DataSource dataSource;
    private JdbcTemplate jdbc;

    @BeforeEach
    void createTables() throws Exception {
        url = server.newDatabase();
        dataSource = new DriverManagerDataSource(url, server.username(), server.password());
        jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE note (text text NOT NULL)");
        try (Connection connection = dataSource.getConnection()) {
            Fence.create().createTable(connection);
        }
    }

    private AnnotationConfigApplicationContext start(Class<?>... components) {
        return Contexts.with(Contexts.locks(), Map.of("url", url), components);
    }

    /** Whichever of the advisors is registered first, and whichever sorts them. */
    @ParameterizedTest
    @ValueSource(classes = {Plain.class, WithAspects.class, LocksFirst.class})
    void transaction_ofFencedMethod_entersBeforeTheBody(Class<?> configuration) {
        try (AnnotationConfigApplicationContext context = start(configuration, Beans.class)) {
            Notes notes = context.getBean(Notes.class);
            long token = notes.write("first");
            assertThat(jdbc.queryForList(TOKENS, Long.class)).containsExactly(token);
            assertThat(notes.writeBoth())
                    .hasSize(2)
                    .isEqualTo(jdbc.queryForList(
                            "SELECT token FROM holdfast_fence WHERE name IN ('a', 'b') ORDER BY name", Long.class));
        }
    }

    @Test
    void fence_withoutTables_failsTheStart() {
        jdbc.execute("DROP TABLE holdfast_fence");

        assertThatThrownBy(() -> start(Plain.class, Beans.class).close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("fenced = true needs the tables of the fence")
                .hasMessageContaining("table.sql");
    }

    @Test
    void fence_whoseDatabaseDoesNotAnswerYet_doesNotKeepTheApplicationFromStarting() {
        try (AnnotationConfigApplicationContext context = Contexts.with(
                Contexts.locks(), Map.of("url", "jdbc:postgresql://127.0.0.1:1/none"), Plain.class, Beans.class)) {
            assertThat(context.getBean(Notes.class)).isNotNull();
        }
    }

    @Test
    void transaction_ofStaleHolder_isRefusedBeforeTheBody() throws Exception {
        try (AnnotationConfigApplicationContext context = start(Plain.class, Beans.class);
                Connection later = dataSource.getConnection()) {
            later.setAutoCommit(false);
            Fence.create().enter(later, "note", 1L << 60);
            later.commit();

            assertThatThrownBy(() -> context.getBean(Notes.class).write("stale"))
                    .isExactlyInstanceOf(StaleLeaseException.class);
            assertThat(jdbc.queryForList("SELECT text FROM note")).isEmpty();
            assertThat(context.getBean(Probe.class).isFree("note")).isTrue();
        }
    }

    @Test
    void transaction_thatBeganBeforeTheLock_isRefused() {
        try (AnnotationConfigApplicationContext context = start(Plain.class, Beans.class)) {
            Notes notes = context.getBean(Notes.class);
            TransactionTemplate outer = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
            assertThatThrownBy(() -> outer.execute(status -> notes.write("too late")))
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "write(String): fenced = true needs a transaction that begins after the lock");
            assertThat(outer.<Long>execute(status -> notes.writeInNew("fine"))).isPositive();
        }
    }

    /** The new transaction begins under the lock; a savepoint sees what its transaction saw before. */
    @Test
    void propagation_insideOfATransaction_decides() {
        try (AnnotationConfigApplicationContext context = start(Plain.class, Beans.class)) {
            Notes notes = context.getBean(Notes.class);
            Probe probe = context.getBean(Probe.class);
            TransactionTemplate outer = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
            outer.executeWithoutResult(status -> {
                long token = notes.writeInNew("new");
                assertThat(jdbc.queryForList(TOKENS, Long.class))
                        .as("committed")
                        .containsExactly(token);
                assertThat(probe.isFree("note")).isFalse();
            });
            assertThat(probe.isFree("note")).isTrue();
            assertThatThrownBy(() -> outer.execute(status -> notes.writeNested("old")))
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("needs a transaction that begins after the lock");
        }
    }

    /** It would wait for a row that its own thread has locked, in a transaction that cannot go on. */
    @Test
    void newTransaction_inOneThatEnteredTheSameFence_isRefused() {
        try (AnnotationConfigApplicationContext context = start(Plain.class, Beans.class)) {
            Notes notes = context.getBean(Notes.class);
            assertThatThrownBy(() -> notes.writeAnd(() -> notes.writeInNew("deadlock")))
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("writeInNew(String): the transaction that this call suspends")
                    .hasMessageContaining("'note'");
            assertThat(notes.writeAnd(() -> notes.write("same transaction"))).isPositive();
            assertThat(notes.writeInNew("afterwards")).isPositive();
        }
    }

    /** In the order of every other transaction that enters both, so that none waits for one that waits for it. */
    @Test
    void fencesOfSeveralNames_areEnteredInTheOrderOfTheNames() throws Exception {
        try (AnnotationConfigApplicationContext context = start(Plain.class, Beans.class);
                Connection other = dataSource.getConnection()) {
            Notes notes = context.getBean(Notes.class);
            notes.writeBoth(); // b, a
            JdbcTemplate holder = new JdbcTemplate(new SingleConnectionDataSource(other, true));
            other.setAutoCommit(false);
            holder.queryForList("SELECT token FROM holdfast_fence WHERE name = 'a' FOR UPDATE");

            FutureTask<List<Long>> entering = new FutureTask<>(notes::writeBoth);
            new Thread(entering, "entering").start();
            Await.until(
                    "it waits for a",
                    () -> jdbc.queryForObject(
                                    "SELECT count(*) FROM pg_stat_activity"
                                            + " WHERE datname = current_database() AND wait_event_type = 'Lock'",
                                    Integer.class)
                            == 1);
            assertThat(holder.queryForList("SELECT token FROM holdfast_fence WHERE name = 'b' FOR UPDATE SKIP LOCKED"))
                    .as("not entered yet")
                    .hasSize(1);
            other.rollback();
            assertThat(Await.result(entering)).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {WithSupports.class, WithNotSupported.class, WithNever.class})
    void propagation_withoutATransaction_isRefusedAtStart(Class<?> component) {
        assertThat(catchThrowable(() -> start(Plain.class, Beans.class, component)))
                .isExactlyInstanceOf(LockConfigurationException.class)
                .hasMessageContaining(component.getSimpleName() + ".run(): fenced = true needs a transaction");
    }

    @Test
    void method_withoutTransaction_isRefusedAtStart() {
        assertThat(catchThrowable(() -> start(Plain.class, Beans.class, WithoutTransaction.class)))
                .isExactlyInstanceOf(LockConfigurationException.class)
                .hasMessageContaining(
                        "WithoutTransaction.run(): fenced = true needs a transaction that begins with the method");
        assertThat(catchThrowable(() -> start(Plain.class, Beans.class, InTransactionOfCaller.class)))
                .isExactlyInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("InTransactionOfCaller.run()");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Plain {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableAspectJAutoProxy
    static class WithAspects {}

    @Configuration(proxyBeanMethods = false)
    @Import(LockedConfiguration.class)
    @EnableTransactionManagement
    static class LocksFirst {}

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        DataSource dataSource(Environment environment) {
            PostgresServer server = PostgresServer.shared();
            return new DriverManagerDataSource(
                    environment.getRequiredProperty("url"), server.username(), server.password());
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Notes notes(DataSource dataSource) {
            return new Notes(new JdbcTemplate(dataSource));
        }
    }

    static class WithoutTransaction {
        @Locked(value = "note", fenced = true)
        void run() {}
    }

    static class InTransactionOfCaller {
        @Locked(value = "note", fenced = true)
        @Transactional(propagation = Propagation.MANDATORY)
        void run() {}
    }

    static class WithSupports {
        @Locked(value = "note", fenced = true)
        @Transactional(propagation = Propagation.SUPPORTS)
        void run() {}
    }

    static class WithNotSupported {
        @Locked(value = "note", fenced = true)
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void run() {}
    }

    static class WithNever {
        @Locked(value = "note", fenced = true)
        @Transactional(propagation = Propagation.NEVER)
        void run() {}
    }

    static class Notes {
        private final JdbcTemplate jdbc;

        Notes(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Locked(value = "note", fenced = true)
        @Transactional
        public long write(String text) {
            jdbc.update("INSERT INTO note VALUES (?)", text);
            assertThat(jdbc.queryForObject("SELECT token FROM holdfast_fence WHERE name = 'note'", Long.class))
                    .isEqualTo(CurrentLease.token());
            return CurrentLease.token();
        }

        @Locked(value = "note", fenced = true)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public long writeInNew(String text) {
            return CurrentLease.token();
        }

        @Locked(value = "note", fenced = true)
        @Transactional(propagation = Propagation.NESTED)
        public long writeNested(String text) {
            return CurrentLease.token();
        }

        @Locked(value = "note", fenced = true)
        @Transactional
        public long writeAnd(LongSupplier more) {
            return more.getAsLong();
        }

        @Locked(
                value = {"b", "a"},
                fenced = true)
        @Transactional
        public List<Long> writeBoth() {
            return List.of(CurrentLease.token("a"), CurrentLease.token("b"));
        }
    }
}
