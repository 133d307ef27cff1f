package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A run leaves a report of all rules, whether its tests passed or not. */
class ReportedRunTest {

    private static final int ALL = Rule.values().length;

    @TempDir
    Path directory;

    private KitLauncher kit;

    @BeforeEach
    void makeLauncher() {
        kit = new KitLauncher(directory, false);
    }

    @Test
    void selectedRules_areReportedAndOthersAreNotRun() {
        kit.run(Keeping.class, Rule.P1_1, Rule.P6_1, Rule.P9_2);

        assertThat(kit.jsonReport(Keeping.class)).startsWith("{\n  \"conforms\": false,");
        assertThat(kit.textReport(Keeping.class))
                .startsWith(ALL + " rules: 1 passed, 1 aborted, 1 failed, " + (ALL - 3) + " not run\n"
                        + "the store does not conform\n")
                .containsPattern(
                        "    P9\\.2 broken: 3 locks are held in the namespace tck-.* among them, but namesKept\\(\\) is 2")
                .containsPattern("P6\\.1: .*: override breakable[A-Z][a-z]+\\(\\)")
                .contains("provider      memory\n")
                .contains("store         dev.holdfast.lock.memory.MemoryLockStore")
                .containsPattern("capabilities  [A-Z]+, [A-Z]+")
                .contains(MemoryLockProvider.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath()
                        .replaceAll("/$", ""));
    }

    @Test
    void testOfTheSubclass_isNotReported() throws Exception {
        kit.run(List.of(selectMethod(Keeping.class, Keeping.class.getMethod("testOfItsOwn"))));

        assertThat(kit.textReport(Keeping.class))
                .startsWith(ALL + " rules: 0 passed, 0 aborted, 0 failed, " + ALL + " not run\n")
                .contains("store         never opened");
    }

    @Test
    void rule_abortedByAnAssumption_isReportedAsNotRun() {
        kit.run(Unwilling.class);

        assertThat(kit.textReport(Unwilling.class))
                .matches("(?s)" + ALL + " rules: 0 passed, [0-9]+ aborted, 0 failed, [0-9]+ not run\n"
                        + "the store does not conform\n.*")
                .contains("P1.1, P1.2, P1.3")
                .contains("Assumption failed: no server here");
    }

    @Test
    void report_ofAnEarlierRun_isRemovedWhenTheClassFailsBeforeItsFirstTest() throws IOException {
        Path report = directory.resolve(Failing.class.getName() + ".txt");
        Files.writeString(report, "the store conforms");

        kit.run(Failing.class);

        assertThat(Files.exists(report) ? Files.readString(report) : "").doesNotContain("the store conforms");
    }

    @Test
    void nestedClass_runsItsOwnTestsOnly() {
        TestExecutionSummary summary = kit.run(Keeping.Inner.class);

        assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
        assertThat(summary.getTotalFailureCount()).isZero();
    }

    /** Claims to keep two names for ever. Run by the tests above only. */
    static final class Keeping extends MemoryContract {

        @Override
        protected Duration patience() {
            return Duration.ofMillis(100);
        }

        @Override
        protected void prune(Namespace namespace) {
            // prunes nothing
        }

        @Override
        protected long namesKept(Namespace namespace) {
            return 2;
        }

        @Test
        public void testOfItsOwn() {
            assertThat(configuration()).isNotEmpty();
        }

        @Nested
        class Inner {
            @Test
            void passes() {
                assertThat(configuration()).isNotEmpty();
            }
        }
    }

    /** Has no server, and aborts by an assumption instead of the kit's notPossible(). */
    static final class Unwilling extends MemoryContract {

        @Override
        protected Properties configuration() {
            Assumptions.abort("Assumption failed: no server here");
            throw new AssertionError();
        }
    }

    /** Fails before its first test. */
    static final class Failing extends MemoryContract {

        @BeforeAll
        static void fail() {
            throw new IllegalStateException("no server here");
        }
    }
}
