package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.lock.spring.boot.HoldfastAutoConfiguration;
import org.junit.jupiter.api.Test;

/** Which classes of the starter need which of the libraries that an application may lack. */
class StarterArchitectureTest {

    private final JavaClasses module = new ClassFileImporter()
            .importUrl(HoldfastAutoConfiguration.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation());

    @Test
    void starter_dependsOnTheApiOfHoldfastOnly() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.holdfast.lock.internal..",
                        "dev.holdfast.lock.spi.environment..",
                        "dev.holdfast.lock.spi.failover..",
                        "dev.holdfast.lock.spi.time..",
                        "dev.holdfast.lock.redis.*..",
                        "dev.holdfast.lock.composite..")
                .check(module);
    }

    @Test
    void optionalPartsOfBoot_areKnownToTheirOwnClassesOnly() {
        only("Redis.*|HoldfastAutoConfiguration\\$Redis.*", "org.springframework.boot.data..");
        only("Jdbc.*|HoldfastAutoConfiguration\\$Jdbc.*", "org.springframework.boot.jdbc..");
        only("HoldfastAutoConfiguration\\$Shared.*", "dev.holdfast.lock.jdbc..");
        only("HoldfastWebAutoConfiguration|LockProblems", "org.springframework.web..", "org.springframework.http..");
        only("RedisBundle", "dev.holdfast.lock.redis..");
        only(".*Health.*", "org.springframework.boot.health..");
        only(".*Endpoint.*", "org.springframework.boot.actuate..");
        only(".*Metrics.*", "io.micrometer..", "org.springframework.boot.micrometer..");
    }

    private void only(String classes, String... packages) {
        noClasses()
                .that()
                .haveNameNotMatching("dev\\.holdfast\\.lock\\.spring\\.boot\\.(" + classes + ")")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .check(module);
    }
}
