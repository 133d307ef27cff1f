package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.lock.spring.Locked;
import org.junit.jupiter.api.Test;

/** Which classes of lock-spring need which of the libraries that an application may lack. */
class LockSpringArchitectureTest {

    private static final String LOCKED = "dev.holdfast.lock.spring";

    private final JavaClasses module = new ClassFileImporter()
            .importUrl(Locked.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void springTx_isKnownToTheClassesForTransactionsOnly() {
        noClasses()
                .that()
                .resideInAPackage(LOCKED)
                .and()
                .haveNameNotMatching(".*\\.(Transaction|Fenced)[A-Z][A-Za-z]+(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.transaction..", "org.springframework.jdbc..")
                .check(module);
    }

    @Test
    void springWeb_isKnownToTheClassForRequestsOnly() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.WebRequests")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.web..")
                .check(module);
    }

    @Test
    void reactor_isKnownToTheClassesForPublishersOnly() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.Reactive[A-Z][A-Za-z]+(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.holdfast.lock.reactor..", "org.reactivestreams..", "reactor..")
                .check(module);
    }

    @Test
    void locked_dependsOnNoAdapter() {
        noClasses()
                .that()
                .resideInAPackage(LOCKED)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        LOCKED + ".integration..",
                        LOCKED + ".shedlock..",
                        LOCKED + ".micrometer..",
                        "org.springframework.integration..",
                        "net.javacrumbs..",
                        "io.micrometer.core..",
                        "kotlin..")
                .check(module);
    }

    @Test
    void module_dependsOnTheApiOfHoldfastOnly() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.holdfast.lock.internal..",
                        "dev.holdfast.lock.spi.environment..",
                        "dev.holdfast.lock.spi.failover..",
                        "dev.holdfast.lock.spi.time..",
                        "dev.holdfast.lock.redis..")
                .check(module);
    }
}
