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
    void theApiKnowsNoModuleThatIsBuiltOnIt() {
        noClasses()
                .that()
                .resideInAnyPackage(API, ADMIN, SPI, ENGINE)
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("dev.holdfast..")
                        .and(JavaClass.Predicates.resideOutsideOfPackages(API, ADMIN, SPI, ENGINE)))
                .check(ours);
    }

    @Test
    void aStoreNeedsNothingOfTheEngine() {
        noClasses()
                .that()
                .resideInAPackage(SPI)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ENGINE)
                .check(ours);
    }
}
