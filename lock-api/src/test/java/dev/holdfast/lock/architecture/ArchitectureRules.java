package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.io.PrintStream;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The rules for the main classes of every module. A test that extends this class says which modules it checks: those on its
 * class path that no other test checks.
 */
@Tag("first-build")
@Execution(ExecutionMode.CONCURRENT)
public abstract class ArchitectureRules {

    static final String API = "dev.holdfast.lock";
    static final String ADMIN = "dev.holdfast.lock.admin..";
    static final String FENCING = "dev.holdfast.lock.fencing..";
    static final String MEMORY = "dev.holdfast.lock.memory..";
    static final String SPI = "dev.holdfast.lock.spi..";
    static final String ENGINE = "dev.holdfast.lock.internal..";
    private static final String COMPOSITE = "dev.holdfast.lock.composite..";
    private static final String JDBC = "dev.holdfast.lock.jdbc..";
    private static final String REDIS = "dev.holdfast.lock.redis..";
    /** Not published; starts servers and processes of its own. */
    private static final String BENCH = "dev.holdfast.lock.bench..";

    private static final String KIT = "dev.holdfast.lock.tck..";
    private static final String JUNIT = "dev.holdfast.lock.junit..";

    private static final Map<Set<String>, JavaClasses> IMPORTED = new ConcurrentHashMap<>();

    final JavaClasses ours;

    /**
     * For subclasses.
     *
     * @param ofEach one class of each module to check; a module is checked once, and what it depends on is known by its name
     */
    protected ArchitectureRules(Class<?>... ofEach) {
        Set<String> modules = Stream.of(ofEach)
                .map(one ->
                        one.getProtectionDomain().getCodeSource().getLocation().getPath())
                .collect(Collectors.toUnmodifiableSet());
        ours = IMPORTED.computeIfAbsent(modules, ArchitectureRules::importAll);
        for (Class<?> one : ofEach) {
            assertThat(ours.contain(one)).as("whether %s is imported", one).isTrue();
        }
    }

    private static JavaClasses importAll(Set<String> modules) {
        return new ClassFileImporter()
                .withImportOption(location -> modules.stream().anyMatch(location::contains))
                .withImportOption(location -> !location.contains("jmh_generated"))
                .importPackages("dev.holdfast");
    }

    @Test
    void engine_isReachedOnlyThroughLocksAndLockAdmin() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ENGINE, COMPOSITE, KIT, JUNIT)
                .and()
                .areNotAssignableTo(Locks.class)
                .and()
                .areNotAssignableTo(LockAdmin.class)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ENGINE)
                .allowEmptyShould(true) // in a module that may
                .check(ours);
    }

    @Test
    void packages_haveNoCycles() {
        // Locks and LockAdmin open themselves: the only way from the public side into the engine.
        slices().matching("dev.holdfast.(**)")
                .namingSlices("$1")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(
                        JavaClass.Predicates.type(Locks.class).or(JavaClass.Predicates.type(LockAdmin.class)),
                        JavaClass.Predicates.resideInAnyPackage(ENGINE, SPI))
                .check(ours);
    }

    @Test
    void clientLibrary_isUsedOnlyByItsStore() {
        noClasses()
                .that()
                .resideOutsideOfPackages(REDIS, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("redis.clients..", "org.apache.commons.pool2..")
                .allowEmptyShould(true) // in a module that may
                .check(ours);
        noClasses()
                .that()
                .resideOutsideOfPackages(JDBC, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.zaxxer..", "org.flywaydb..")
                .allowEmptyShould(true) // in a module that may
                .check(ours);
        noClasses()
                .that()
                .resideOutsideOfPackages(JDBC, FENCING, BENCH)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..")
                .allowEmptyShould(true) // in a module that may
                .check(ours);
    }

    @Test
    void store_dependsOnNoOtherStore() {
        List<String> stores = List.of(COMPOSITE, JDBC, REDIS);
        for (String store : stores) {
            noClasses()
                    .that()
                    .resideInAPackage(store)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(stores.stream()
                            .filter(other -> !other.equals(store))
                            .toArray(String[]::new))
                    .allowEmptyShould(true) // not every module has them all on its class path
                    .check(ours);
        }
    }

    @Test
    void logging_usesSlf4j() {
        noClasses()
                .that()
                .areNotAssignableTo("javax.sql.DataSource") // which must name its parent logger
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.logging..", "org.apache.commons.logging..", "org.apache.log4j..")
                .check(ours);
    }

    @Test
    void standardOutput_isUsedOnlyByTheCommandLine() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.holdfast.lock.cli..", BENCH)
                .and()
                .haveNameNotMatching(".*\\.tck\\.ChildMain") // a child process whose output the kit reads
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .allowEmptyShould(true) // in a module that may
                .check(ours);
    }

    @Test
    void mainCode_doesNotSleep() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.holdfast.lock.cli..", // the end of a foreign process cannot be awaited
                        "dev.holdfast.lock.bench.peer..") // other libraries that are measured, some of which sleep
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .check(ours);
    }

    /** In some locales the digits of %d are not ASCII, and a time is written in another calendar. */
    @Test
    void text_dependsOnNoDefaultLocale() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.(tck\\.ReportJson|bench\\.peer\\..*)") // they insert text only
                .should()
                .callMethod(String.class, "format", String.class, Object[].class)
                .orShould()
                .callMethod(String.class, "formatted", Object[].class)
                .orShould()
                .callMethod(DateTimeFormatter.class, "ofPattern", String.class)
                .orShould()
                .callMethod(PrintStream.class, "printf", String.class, Object[].class)
                .check(ours);
    }

    /** A thread inherits from the one that makes it, unless it is made with care. */
    @Test
    void threads_areMadeByDaemonThreadFactoryOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages(KIT, BENCH) // their threads belong to a test
                .and()
                .areNotAssignableTo(DaemonThreadFactory.class)
                .should()
                .callConstructorWhere(call(
                        "of a thread, a timer, or a pool with the JDK's threads",
                        call -> isOf(call, Thread.class, Timer.class)
                                || (isOf(call, ThreadPoolExecutor.class) && !takes(call, ThreadFactory.class))))
                .orShould()
                .callMethodWhere(call("of Executors", call -> isOf(call, Executors.class)))
                .allowEmptyShould(true) // in a module without threads
                .check(ours);
    }

    /** An application can fill the common pool, and may then wait for what Holdfast runs there; the JDK's other threads stay for ever. */
    @Test
    void sharedThreadsOfTheJdk_runNothingOfHoldfast() {
        noClasses()
                .that()
                .resideOutsideOfPackages(KIT, BENCH)
                .should()
                .callMethodWhere(call(
                        "that runs on a shared thread of the JDK",
                        call -> isOf(call, CompletionStage.class)
                                && call.getName().matches(".*Async|completeOnTimeout|orTimeout|delayedExecutor")
                                && !takes(call, Executor.class)))
                .orShould()
                .callMethodWhere(
                        call(
                                "that runs on a shared thread of the JDK",
                                call -> call.getName()
                                        .matches(
                                                "commonPool|parallel|parallelStream|parallelSort|startVirtualThread|ofVirtual")))
                .allowEmptyShould(true) // in a module that waits for nothing
                .check(ours);
    }

    private static DescribedPredicate<JavaCall<?>> call(String what, Predicate<JavaCall<?>> condition) {
        return DescribedPredicate.describe(what, condition);
    }

    private static boolean isOf(JavaCall<?> call, Class<?>... types) {
        return Stream.of(types).anyMatch(type -> call.getTargetOwner().isAssignableTo(type));
    }

    private static boolean takes(JavaCall<?> call, Class<?> parameter) {
        return call.getTarget().getRawParameterTypes().stream().anyMatch(type -> type.isEquivalentTo(parameter));
    }

    /** Virtual threads up to JDK 23 would pin their carrier threads in a synchronized method. */
    @Test
    void methods_areNotSynchronized() {
        methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED).check(ours);
    }

    @Test
    void packages_areNullMarked() {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass ourClass : ours) {
            JavaPackage javaPackage = ourClass.getPackage();
            if (!javaPackage.isAnnotatedWith(NullMarked.class)) {
                unmarked.add(javaPackage.getName());
            }
        }
        assertThat(unmarked).as("packages without @NullMarked").isEmpty();
    }
}
