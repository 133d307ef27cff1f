package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.Namespace;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A run leaves its report behind, whatever became of its tests. */
class ReportedRunTest {

    private static final int ALL = Rule.values().length;

    @TempDir
    static Path directory;

    @Test
    void eachTestThatWasSelectedIsReportedAndTheOthersAsNotRun() throws IOException {
        String text = reportOf(
                "p1_1_aHeldLockRefusesEveryOtherId",
                "p6_1_anUnreachableStoreIsUnavailable",
                "p9_2_nothingIsKeptAboutIdleNames");

        assertThat(text)
                .startsWith(ALL + " rules: 1 passed, 1 aborted, 1 failed, " + (ALL - 3) + " not run\n"
                        + "the store does not conform\n")
                .contains("    P9.2 broken: 3 locks are held, but namesKept() is 2")
                .contains("P6.1: nothing breaks the way to this store: override breakableWay()")
                .contains("provider      memory\n")
                .contains("store         dev.holdfast.lock.memory.MemoryLockStore")
                .contains("capabilities  QUEUE, SIGNALS")
                .contains(MemoryLockProvider.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath()
                        .replaceAll("/$", ""));
    }

    @Test
    void whatIsNoRuleOfTheKitIsNotCounted() throws IOException {
        assertThat(reportOf("aTestOfItsOwn"))
                .startsWith(ALL + " rules: 0 passed, 0 aborted, 0 failed, " + ALL + " not run\n")
                .contains("store         never opened");
    }

    @Test
    void whatTheKitDidNotAbortWasNotRun() throws IOException {
        run(selectClass(Unwilling.class));

        assertThat(Files.readString(directory.resolve(Unwilling.class.getName() + ".txt")))
                .matches("(?s)" + ALL + " rules: 0 passed, [0-9]+ aborted, 0 failed, [0-9]+ not run\n"
                        + "the store does not conform\n.*")
                .contains("P1.1, P1.2, P1.3")
                .contains("Assumption failed: no server here");
    }

    @Test
    void theReportOfAnEarlierRunIsNotThatOfOneThatNeverBegan() throws IOException {
        Path report = directory.resolve(Failing.class.getName() + ".txt");
        Files.writeString(report, "the store conforms");

        run(selectClass(Failing.class));

        assertThat(Files.exists(report) ? Files.readString(report) : "").doesNotContain("the store conforms");
    }

    @Test
    void aNestedClassHasTestsOfItsOwn() {
        SummaryGeneratingListener summary = run(selectClass(Keeping.Inner.class));

        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(1);
        assertThat(summary.getSummary().getTotalFailureCount()).isZero();
    }

    private static SummaryGeneratingListener run(DiscoverySelector... selectors) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
                                .configurationParameter(LockStoreContract.REPORTS, directory.toString())
                                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "false")
                                .build(),
                        summary);
        return summary;
    }

    private String reportOf(String... tests) throws IOException {
        run(Stream.of(tests)
                .map(test -> selectMethod(Keeping.class, method(test)))
                .toArray(DiscoverySelector[]::new));
        assertThat(Files.readString(directory.resolve(Keeping.class.getName() + ".json")))
                .startsWith("{\n  \"conforms\": false,");
        return Files.readString(directory.resolve(Keeping.class.getName() + ".txt"));
    }

    private static Method method(String name) {
        return Stream.of(Keeping.class.getMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Says that something is kept for ever. Run by the tests above only. */
    static final class Keeping extends LockStoreContract {

        @Override
        protected Properties configuration() {
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "memory");
            return properties;
        }

        @Override
        protected Duration patience() {
            return Duration.ofMillis(100);
        }

        @Override
        protected void prune(Namespace namespace) {
            // In vain.
        }

        @Override
        protected long namesKept(Namespace namespace) {
            return 2;
        }

        @Test
        public void aTestOfItsOwn() {
            assertThat(configuration()).isNotEmpty();
        }

        /** Of no concern to the kit. */
        @Nested
        class Inner {
            @Test
            void passes() {
                assertThat(configuration()).isNotEmpty();
            }
        }
    }

    /** Has no server, and does not even say so in the kit's way. */
    static final class Unwilling extends LockStoreContract {

        @Override
        protected Properties configuration() {
            Assumptions.abort("Assumption failed: no server here");
            throw new AssertionError();
        }
    }

    /** Fails before its first test. */
    static final class Failing extends LockStoreContract {

        @BeforeAll
        static void fail() {
            throw new IllegalStateException("no server here");
        }

        @Override
        protected Properties configuration() {
            return new Properties();
        }
    }
}
