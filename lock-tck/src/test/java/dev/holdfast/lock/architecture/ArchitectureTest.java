package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.tck.LockStoreContract;
import org.junit.jupiter.api.Test;

/** Of the API, the engine and the kit. */
class ArchitectureTest extends ArchitectureRules {

    ArchitectureTest() {
        super(Locks.class, LockStoreContract.class);
    }

    @Test
    void lockApi_dependsOnNoModuleBuiltOnIt() {
        noClasses()
                .that()
                .resideInAnyPackage(API, ADMIN, MEMORY, SPI, ENGINE)
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("dev.holdfast..")
                        .and(JavaClass.Predicates.resideOutsideOfPackages(API, ADMIN, MEMORY, SPI, ENGINE)))
                .check(ours);
    }

    @Test
    void spiAndMemoryStore_dependOnNothingOfTheEngine() {
        noClasses()
                .that()
                .resideInAnyPackage(SPI, MEMORY)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ENGINE)
                .check(ours);
    }

    @Test
    void memoryStore_isReachedThroughItsProviderOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage(MEMORY)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(MEMORY)
                .check(ours);
    }
}
