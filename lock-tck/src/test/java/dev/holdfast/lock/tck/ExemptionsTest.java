package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A test class may exempt its store from rules, with a reason for each. */
class ExemptionsTest {

    private static final int ALL = Rule.values().length;

    @TempDir
    Path directory;

    private KitLauncher kit;

    @BeforeEach
    void makeLauncher() {
        kit = new KitLauncher(directory, false);
    }

    @Test
    void exemptRule_isNotRunAndIsReportedWithItsReason() {
        TestExecutionSummary summary = kit.run(Reasoned.class, Rule.P1_1);

        assertThat(summary.getTestsSkippedCount()).isEqualTo(1);
        assertThat(kit.textReport(Reasoned.class))
                .startsWith(ALL + " rules: 0 passed, 0 aborted, 0 failed, 1 exempt, " + (ALL - 1) + " not run\n")
                .contains("\nexempt: not checked, by decision of the test class\n  " + Rule.P1_1.promise()
                        + "\n    P1.1: one for all\n");
        assertThat(kit.jsonReport(Reasoned.class))
                .contains("\"demand\": \"" + Rule.P1_1.demand() + "\", \"verdict\": \"exempt\","
                        + " \"why\": \"one for all\"}");
    }

    @Test
    void exemption_ofUnknownRule_failsEachRuleAndListsTheRules() {
        assertThat(onlyFailure(Unknown.class))
                .contains("exemptions() names 'P1.999', which is not a rule; the rules are P1.1 to P1.")
                .matches("(?s).*, I1 to I[0-9]+, S1 to S[0-9]+, M1 to M[0-9]+");
        assertThat(kit.textReport(Unknown.class)).contains("1 failed").contains("    P1.1: ");
    }

    @Test
    void exemption_withoutReason_failsEachRule() {
        assertThat(onlyFailure(Unreasoned.class))
                .endsWith("exemptions() gives no reason for P1.1: the reason must not be blank");
    }

    private String onlyFailure(Class<?> contract) {
        TestExecutionSummary summary = kit.run(contract, Rule.P1_1);
        assertThat(summary.getFailures()).hasSize(1);
        return summary.getFailures().get(0).getException().getMessage();
    }

    /** Run by the tests above only. */
    abstract static class Exempting extends MemoryContract {

        private final Map<String, String> exemptions;

        Exempting(Map<String, String> exemptions) {
            this.exemptions = exemptions;
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
