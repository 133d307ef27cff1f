package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import dev.holdfast.lock.composite.CompositeLockProvider;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The rules of all modules, for the composite, and that its protocol is pure. */
class CompositeArchitectureTest extends ArchitectureRules {

    private static final String COMPOSITE = "dev.holdfast.lock.composite";
    private static final String MEMBER = "dev.holdfast.lock.composite.member";
    private static final String PROTOCOL = "dev.holdfast.lock.composite.protocol";

    CompositeArchitectureTest() {
        super(CompositeLockProvider.class);
    }

    /** Safe publication, for reads without a lock, is all that it has of concurrency. */
    @Test
    void protocol_always_isFreeOfInputOutputThreadsLocksAndLogs() {
        DescribedPredicate<JavaClass> impure = JavaClass.Predicates.resideInAnyPackage(
                        "java.io..", "java.net..", "java.nio..", "java.sql..", "java.util.concurrent..", "org.slf4j..")
                .and(DescribedPredicate.not(JavaClass.Predicates.type(ConcurrentHashMap.class)))
                .or(JavaClass.Predicates.assignableTo(Thread.class))
                .or(JavaClass.Predicates.resideInAPackage("dev.holdfast.lock.internal..")
                        .and(DescribedPredicate.not(JavaClass.Predicates.type(DualClockInstant.class))));
        noClasses()
                .that()
                .resideInAPackage(PROTOCOL)
                .should()
                .dependOnClassesThat(impure)
                .check(ours);
    }

    @Test
    void protocol_always_isToldTheTime() {
        noClasses()
                .that()
                .resideInAPackage(PROTOCOL)
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(InstantSource.class)
                .check(ours);
    }

    @Test
    void packages_always_dependDownwards() {
        noClasses()
                .that()
                .resideInAPackage(PROTOCOL)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(COMPOSITE, MEMBER)
                .check(ours);
        noClasses()
                .that()
                .resideInAPackage(MEMBER)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(COMPOSITE)
                .check(ours);
    }
}
