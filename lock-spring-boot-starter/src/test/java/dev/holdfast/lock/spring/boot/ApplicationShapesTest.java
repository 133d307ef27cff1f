package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spring.Locked;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** What applications have beside the locks: each gets locks that exclude, or is told what to set. */
@Tag("second-build")
@ExtendWith(OutputCaptureExtension.class)
class ApplicationShapesTest {

    private static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class,
                    HoldfastLockedAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataRedisAutoConfiguration.class))
            .withBean(Job.class);

    /**
     * One kind of application.
     *
     * @param name for people
     * @param given what it has
     * @param provider the store of its locks
     */
    record Shape(String name, UnaryOperator<ApplicationContextRunner> given, String provider) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Shape> shapes() {
        return Stream.of(
                new Shape(
                        "@ServiceConnection to a database",
                        app -> app.withBean(JdbcConnectionDetails.class, ApplicationShapesTest::database)
                                .withPropertyValues("holdfast.provider=jdbc"),
                        "jdbc"),
                new Shape(
                        "@ServiceConnection to Redis",
                        app -> app.withBean(DataRedisConnectionDetails.class, ApplicationShapesTest::redis)
                                .withPropertyValues("holdfast.provider=redis"),
                        "redis"),
                new Shape("H2 in memory, shared", app -> app.withPropertyValues(inMemory(), shared()), "jdbc"),
                new Shape("H2 by default, shared", app -> app.withPropertyValues(shared()), "jdbc"),
                new Shape(
                        "a DataSource bean of its own, shared",
                        app -> app.withBean(DataSource.class, ApplicationShapesTest::h2)
                                .withPropertyValues(shared()),
                        "jdbc"),
                new Shape(
                        "two DataSource beans, the primary one shared",
                        app -> app.withUserConfiguration(PrimaryOfTwo.class).withPropertyValues(shared()),
                        "jdbc"),
                new Shape(
                        "Liquibase",
                        app -> app.withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                                .withPropertyValues(inMemory(), shared()),
                        "jdbc"),
                new Shape(
                        "lazy initialization",
                        app -> app.withBean(LazyInitializationBeanFactoryPostProcessor.class)
                                .withPropertyValues("holdfast.provider=memory"),
                        "memory"),
                new Shape(
                        "Locks of its own",
                        app -> app.withBean("ownLocks", Locks.class, ApplicationShapesTest::inMemoryLocks),
                        "custom"));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void application_hasLocksThatExclude(Shape shape) {
        shape.given().apply(APPLICATION).run(context -> {
            Locks locks = context.getBean(Locks.class);
            assertThat(locks.provider()).isEqualTo(shape.provider());
            try (Lease lease = locks.named("one").acquire()) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(locks.named("one").tryAcquire()).isEmpty();
            }
            assertThat(context.getBean(Job.class).isHeld(locks)).isTrue();
        });
    }

    /**
     * One kind of application that does not say enough.
     *
     * @param name for people
     * @param given what it has
     * @param told what it is told, in part
     */
    record Unclear(String name, UnaryOperator<ApplicationContextRunner> given, List<String> told) {

        Unclear(String name, UnaryOperator<ApplicationContextRunner> given, String... told) {
            this(name, given, List.of(told));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Unclear> unclear() {
        UnaryOperator<ApplicationContextRunner> jdbc = app -> app.withPropertyValues("holdfast.provider=jdbc");
        return Stream.of(
                new Unclear(
                        "H2 in memory",
                        app -> jdbc.apply(app).withPropertyValues(inMemory()),
                        "in the memory of this process",
                        "holdfast.provider=memory, or holdfast.jdbc.data-source=shared"),
                new Unclear(
                        "a DataSource bean of its own",
                        app -> jdbc.apply(app).withBean("shopData", DataSource.class, ApplicationShapesTest::h2),
                        "the address of the DataSource bean shopData is not known to Boot",
                        "holdfast.jdbc.data-source=shared",
                        "or holdfast.jdbc.url"),
                new Unclear(
                        "two DataSource beans",
                        app -> jdbc.apply(app).withUserConfiguration(Two.class),
                        "the DataSource beans orders, stock",
                        "@LocksDataSource"),
                new Unclear(
                        "two DataSource beans, shared",
                        app -> app.withUserConfiguration(Two.class).withPropertyValues(shared()),
                        "orders, stock",
                        "Mark the one that keeps the locks with @LocksDataSource"),
                new Unclear(
                        "keys of Holdfast without Spring",
                        app -> app.withPropertyValues("holdfast.provider=memory", "lock.acquire-timeout=5s"),
                        "lock.acquire-timeout (\"lock.acquire-timeout\" from property source \"test\")",
                        "write holdfast.acquire-timeout"));
    }

    @ParameterizedTest
    @MethodSource("unclear")
    void application_thatDoesNotSayEnough_isToldWhatToSet(Unclear shape) {
        shape.given().apply(APPLICATION).run(context -> {
            for (String told : shape.told()) {
                assertThat(context).getFailure().hasStackTraceContaining(told);
            }
        });
    }

    @Test
    void markedDataSource_keepsTheLocks() {
        APPLICATION
                .withUserConfiguration(MarkedOfTwo.class)
                .withPropertyValues(shared())
                .run(context -> {
                    assertThat(hasTables(context.getBean("stock", DataSource.class)))
                            .isTrue();
                    assertThat(hasTables(context.getBean("orders", DataSource.class)))
                            .isFalse();
                });
    }

    @Test
    void schemaOfThePool_keepsTheTables() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        String url = server.newDatabase();
        APPLICATION
                .withPropertyValues(
                        "holdfast.provider=jdbc",
                        "spring.datasource.url=" + url,
                        "spring.datasource.username=" + server.username(),
                        "spring.datasource.password=" + server.password(),
                        "spring.datasource.hikari.schema=shop")
                .withBean(LazyInitializationBeanFactoryPostProcessor.class)
                .run(context -> {
                    try (Connection connection = server.connect(url);
                            Statement statement = connection.createStatement()) {
                        statement.execute("create schema shop");
                        context.getBean(Locks.class).named("one").acquire().close();
                        assertThat(statement
                                        .executeQuery("select 1 from shop.holdfast_schema")
                                        .next())
                                .isTrue();
                    }
                });
    }

    @Test
    void liquibase_migratesBeforeTheLocksAreMade() {
        APPLICATION
                .withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                .withPropertyValues(inMemory(), shared())
                .run(context -> {
                    for (String bean : new String[] {"holdfastLocks", "holdfastSharedStore"}) {
                        assertThat(context.getBeanFactory()
                                        .getBeanDefinition(bean)
                                        .getDependsOn())
                                .contains("liquibase");
                    }
                });
    }

    @Test
    void settings_besideLocksOfItsOwn_areReportedAsIgnored(CapturedOutput output) {
        ApplicationContextRunner own =
                APPLICATION.withBean("ownLocks", Locks.class, ApplicationShapesTest::inMemoryLocks);
        own.run(context -> assertThat(output).doesNotContain("has no effect"));
        own.withPropertyValues("holdfast.lease=7s", "holdfast.aop.order=7")
                .run(context -> assertThat(output)
                        .contains("holdfast.lease (\"holdfast.lease\" from property source \"test\") has no effect")
                        .contains("ownLocks"));
    }

    @Test
    void locks_ofLazyBeans_closeAfterThem() {
        AtomicReference<Boolean> wasHeld = new AtomicReference<>();
        APPLICATION
                .withBean(LazyInitializationBeanFactoryPostProcessor.class)
                .withBean(LastCall.class, () -> new LastCall(wasHeld))
                .withPropertyValues("holdfast.provider=memory")
                .run(context -> {
                    LastCall last = context.getBean(LastCall.class);
                    last.job = context.getBean(Job.class);
                    last.locks = context.getBean(Locks.class);
                });
        assertThat(wasHeld.get()).isTrue();
    }

    /** As by devtools: the context is closed and made anew, in the same JVM. */
    @Test
    void restart_withALockHeld_findsItFree() {
        String database = inMemory();
        for (int start = 1; start <= 2; start++) {
            APPLICATION
                    .withClassLoader(new ClassLoader(ApplicationShapesTest.class.getClassLoader()) {})
                    .withPropertyValues(database, shared())
                    .run(context -> assertThat(
                                    context.getBean(Locks.class).named("one").tryAcquire())
                            .isPresent());
        }
    }

    private static String shared() {
        return "holdfast.jdbc.data-source=shared";
    }

    private static String inMemory() {
        return "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    private static DataSource h2() {
        JdbcDataSource source = new JdbcDataSource();
        source.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return source;
    }

    private static Locks inMemoryLocks() {
        return Locks.openResolved(new MemorySpace().open(), new Properties());
    }

    private static boolean hasTables(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return connection
                    .getMetaData()
                    .getTables(null, null, "HOLDFAST_SCHEMA", null)
                    .next();
        }
    }

    private static JdbcConnectionDetails database() {
        PostgresServer server = PostgresServer.shared();
        try {
            String url = server.newDatabase();
            return new JdbcConnectionDetails() {
                @Override
                public String getUsername() {
                    return server.username();
                }

                @Override
                public String getPassword() {
                    return server.password();
                }

                @Override
                public String getJdbcUrl() {
                    return url;
                }
            };
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DataRedisConnectionDetails redis() {
        int port = RedisServer.shared().port();
        return new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of("127.0.0.1", port);
            }

            @Override
            public SslBundle getSslBundle() {
                return null;
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class Two {

        @Bean
        DataSource orders() {
            return h2();
        }

        @Bean
        DataSource stock() {
            return h2();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryOfTwo {

        @Bean
        @Primary
        DataSource orders() {
            return h2();
        }

        @Bean
        DataSource stock() {
            return h2();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedOfTwo {

        @Bean
        @Primary
        DataSource orders() {
            return h2();
        }

        @Bean
        @LocksDataSource
        DataSource stock() {
            return h2();
        }
    }

    static class Job {

        @Locked("job")
        public boolean isHeld(Locks locks) {
            return locks.named("job").tryAcquire().isEmpty();
        }
    }

    static class LastCall implements DisposableBean {

        private final AtomicReference<Boolean> wasHeld;
        private Job job;
        private Locks locks;

        LastCall(AtomicReference<Boolean> wasHeld) {
            this.wasHeld = wasHeld;
        }

        @Override
        public void destroy() {
            wasHeld.set(job.isHeld(locks));
        }
    }
}
