package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A test class may leave out rules, if it says which and why. */
class ExemptionsTest {

    private static final int ALL = Rule.values().length;

    @TempDir
    static Path directory;

    @Test
    void anExemptRuleIsNotRunAndReportedWithItsReason() throws IOException {
        TestExecutionSummary summary = runOneRule(Reasoned.class);

        assertThat(summary.getTestsSkippedCount()).isEqualTo(1);
        assertThat(report(Reasoned.class, ".txt"))
                .startsWith(ALL + " rules: 0 passed, 0 aborted, 0 failed, 1 exempt, " + (ALL - 1) + " not run\n")
                .contains("\nexempt: left out by the test class\n  P1 one holder at a time\n    P1.1: one for all\n");
        assertThat(report(Reasoned.class, ".json"))
                .contains("\"demand\": \"a held lock refuses every other id\", \"verdict\": \"exempt\","
                        + " \"why\": \"one for all\"}");
    }

    @Test
    void anExemptionOfNoRuleFailsEachRuleAndNamesThoseThatThereAre() throws IOException {
        assertThat(onlyFailure(Unknown.class))
                .contains("exemptions() names 'P1.999', which is no rule; the rules are P1.1 to P1.")
                .matches("(?s).*, I1 to I[0-9]+");
        assertThat(report(Unknown.class, ".txt")).contains("1 failed").contains("    P1.1: ");
    }

    @Test
    void anExemptionWithoutAReasonFailsEachRule() {
        assertThat(onlyFailure(Unreasoned.class))
                .endsWith("exemptions() gives no reason for P1.1: a reason is a text that is not blank");
    }

    private static String onlyFailure(Class<?> tests) {
        TestExecutionSummary summary = runOneRule(tests);
        assertThat(summary.getFailures()).hasSize(1);
        return summary.getFailures().get(0).getException().getMessage();
    }

    private static TestExecutionSummary runOneRule(Class<?> tests) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(
                                        selectMethod(tests, "p1_1_aHeldLockRefusesEveryOtherId", Kit.class.getName()))
                                .configurationParameter(LockStoreContract.REPORTS, directory.toString())
                                .build(),
                        summary);
        return summary.getSummary();
    }

    private static String report(Class<?> tests, String suffix) throws IOException {
        return Files.readString(directory.resolve(tests.getName() + suffix));
    }

    /** A store that would pass. Run by the tests above only. */
    abstract static class Exempting extends LockStoreContract {

        private final Map<String, String> exemptions;

        Exempting(Map<String, String> exemptions) {
            this.exemptions = exemptions;
        }

        @Override
        protected Properties configuration() {
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "memory");
            return properties;
        }

        @Override
        protected Map<String, String> exemptions() {
            return exemptions;
        }
    }

    static final class Reasoned extends Exempting {
        Reasoned() {
            super(Map.of("P1.1", " one for all\n"));
        }
    }

    static final class Unknown extends Exempting {
        Unknown() {
            super(Map.of("P1.999", "one for all"));
        }
    }

    static final class Unreasoned extends Exempting {
        Unreasoned() {
            super(Map.of("P1.1", " "));
        }
    }
}
