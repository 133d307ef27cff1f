package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.time.Clock;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Of the API and the engine. */
class ArchitectureTest extends ArchitectureRules {

    private static final String INTERNAL = "dev.holdfast.lock.internal.";

    ArchitectureTest() {
        super(Locks.class);
    }

    @Test
    void lockApi_dependsOnNoModuleBuiltOnIt() {
        noClasses()
                .that()
                .resideInAnyPackage(API, ADMIN, FENCING, MEMORY, SPI, ENGINE)
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("dev.holdfast..")
                        .and(JavaClass.Predicates.resideOutsideOfPackages(API, ADMIN, FENCING, MEMORY, SPI, ENGINE)))
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
    void fence_knowsNoStoreAndNoEngine() {
        noClasses()
                .that()
                .resideInAPackage(FENCING)
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAPackage("dev.holdfast..")
                        .and(JavaClass.Predicates.resideOutsideOfPackages(API, FENCING))
                        .and(DescribedPredicate.not(
                                JavaClass.Predicates.belongToAnyOf(LockName.class, Namespace.class))))
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

    /** Client → engine → transport → time; what they share is the configuration, the API and the SPI. */
    @Test
    void internalPackages_dependOnEachOther_inOneDirectionOnly() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("client")
                .definedBy(INTERNAL + "client..")
                .layer("doctor")
                .definedBy(INTERNAL + "doctor..")
                .layer("config")
                .definedBy(INTERNAL + "config..")
                .layer("engine")
                .definedBy(INTERNAL + "engine..")
                .layer("transport")
                .definedBy(INTERNAL + "transport..")
                .layer("time")
                .definedBy(INTERNAL + "time..")
                .layer("spi")
                .definedBy(SPI)
                .whereLayer("client")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("doctor")
                .mayOnlyBeAccessedByLayers("client")
                .whereLayer("config")
                .mayOnlyBeAccessedByLayers("client", "doctor")
                .whereLayer("engine")
                .mayOnlyBeAccessedByLayers("client")
                .whereLayer("transport")
                .mayOnlyBeAccessedByLayers("client", "engine")
                .whereLayer("time")
                .mayOnlyBeAccessedByLayers("client", "engine", "transport")
                .check(ours);
    }

    @Test
    void stateMachine_neitherReadsClocks_norStartsThreads_norCallsTheStore() {
        noClasses()
                .that()
                .haveNameMatching(
                        ".*\\.internal\\.engine\\.(WaitQueue|AcquireRequests|PendingAcquire|OptimisticAcquire|OutageTracker|StoreLease|LeaseHolder|LeaseRenewal|ExtensionQueue|LeaseExtension)")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Timers.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(StoreExecutor.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(LockStore.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Executor.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Thread.class)
                .check(ours);
    }
}
