package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that has the starter and nothing that is optional: no class of it is on the class path. */
@Tag("second-build")
class LeanApplicationTest {

    private static final Pattern OPTIONAL = Pattern.compile(
            "(lock-(jdbc|redis|composite|tck)|spring-(tx|jdbc|data|boot-(?!4|autoconfigure))|micrometer|jedis|flyway|Hikari"
                    + "|lettuce|netty|postgresql|jackson|tomcat|hibernate|junit|assertj|archunit|testcontainers|slf4j-simple).*");

    @Test
    void application_withNothingOptional_startsAndLocks() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry).toAbsolutePath();
            boolean isOptional = OPTIONAL.matcher(path.getFileName().toString()).matches()
                    || Pattern.compile("/lock-(jdbc|redis|composite|tck)/target/")
                            .matcher(path.toString())
                            .find();
            if (!isOptional) {
                classPath.add(path.toUri().toURL());
            }
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader lean =
                new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(lean);
            for (String missing : List.of(
                    "org.springframework.boot.health.contributor.HealthIndicator",
                    "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
                    "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails",
                    "org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization",
                    "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
                    "org.springframework.transaction.support.TransactionSynchronization",
                    "io.micrometer.core.instrument.MeterRegistry",
                    "dev.holdfast.lock.jdbc.JdbcLockStore")) {
                assertThat(isPresent(missing, lean)).as(missing).isFalse();
            }
            Callable<?> run = (Callable<?>)
                    lean.loadClass(Run.class.getName()).getDeclaredConstructor().newInstance();
            assertThat(run.call()).isEqualTo("memory, locked");
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static boolean isPresent(String name, ClassLoader classLoader) {
        try {
            Class.forName(name, false, classLoader);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Loaded by a class loader that has no class of the tests' libraries. */
    public static class Run implements Callable<String> {

        @Override
        public String call() throws Exception {
            SpringApplication application = new SpringApplication(Application.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            application.setRegisterShutdownHook(false);
            try (ConfigurableApplicationContext context = application.run("--holdfast.provider=memory")) {
                Locks locks = context.getBean(Locks.class);
                locks.named("one").acquire().close();
                return locks.provider() + ", "
                        + context.getBean(LockedBeanTest.Job.class).run("locked");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        LockedBeanTest.Job job() {
            return new LockedBeanTest.Job();
        }
    }
}
