package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.time.Clock;
import java.util.Timer;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Of the API and the engine. */
class ArchitectureTest extends ArchitectureRules {

    private static final String INTERNAL = "dev.holdfast.lock.internal.";
    private static final String STATE = INTERNAL + "state..";

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

    /** Client → engine → state → transport → time; what they share is the configuration, the API and the SPI. */
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
                .layer("state")
                .definedBy(STATE)
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
                .whereLayer("state")
                .mayOnlyBeAccessedByLayers("client", "engine")
                .whereLayer("transport")
                .mayOnlyBeAccessedByLayers("client", "engine", "state")
                .whereLayer("time")
                .mayOnlyBeAccessedByLayers("client", "engine", "transport")
                .check(ours);
    }

    /** A simulation drives the same state: it gets its time with each transition, and asks for everything else. */
    @Test
    void state_always_isFreeOfThreadsTimersClocksAndStores() {
        classes()
                .that()
                .resideInAPackage(STATE)
                .should()
                .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(
                                "java.lang..",
                                "java.time..",
                                "java.util",
                                "java.util.function..",
                                "java.util.regex..",
                                "java.util.stream..",
                                "org.jspecify..",
                                API,
                                SPI,
                                STATE)
                        .or(JavaClass.Predicates.belongToAnyOf(
                                StoreExecutor.Lane.class,
                                StoreReply.class,
                                // guards the state, and is released before anything is carried out
                                ReentrantLock.class))
                        .and(DescribedPredicate.not(JavaClass.Predicates.belongToAnyOf(
                                Thread.class, Timer.class, Clock.class, LockStore.class))))
                .check(ours);
    }

    /** Each type of the engine can be read with what it uses, and without what uses it. */
    @Test
    void typesOfTheEngine_dependOnEachOther_inOneDirectionOnly() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return type.getPackageName().matches("dev\\.holdfast\\.lock\\.internal\\.(engine|state)")
                                ? SliceIdentifier.of(type.getName().replaceAll("\\$.*", ""))
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "types of the engine and its state";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(ours);
    }
}
