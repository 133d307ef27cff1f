package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A test that is aborted or disabled fails unless its module lists it. */
class AbortedTestsTest {

    /** Run by this test only; the list has one of its methods. */
    static class Aborting {

        @Test
        void isListed() {
            Assumptions.abort("on purpose");
        }

        @Test
        void isNotListed() {
            Assumptions.abort("on purpose");
        }

        @Nested
        class Inner {

            @BeforeEach
            void abort() {
                Assumptions.abort("before it begins, on purpose");
            }

            @Test
            void isNotListedEither() {}
        }
    }

    /** Run by this test only. */
    static class WithOneDisabled {

        @Test
        void shows() {}

        @Test
        @Disabled("on purpose")
        void showsNothing() {}
    }

    @Test
    void abortedTest_notListed_fails() {
        TestExecutionSummary summary = run(Aborting.class);

        assertThat(summary.getTestsAbortedCount()).isEqualTo(1);
        assertThat(failures(summary))
                .containsOnlyKeys("isNotListed()", "isNotListedEither()")
                .hasEntrySatisfying(
                        "isNotListed()",
                        message -> assertThat(message).contains("Aborting.isNotListed was aborted", "on purpose"));
    }

    @Test
    void disabledTest_notListed_failsItsClass() {
        TestExecutionSummary summary = run(WithOneDisabled.class);

        assertThat(summary.getTestsSucceededCount()).isZero();
        assertThat(failures(summary).values()).singleElement().asString().contains("showsNothing", "not in");
    }

    /** Runs tests of which at least one fails. */
    static TestExecutionSummary run(Class<?> tests) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(tests))
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                                .build(),
                        listener);
        StringWriter printed = new StringWriter();
        listener.getSummary().printTo(new PrintWriter(printed));
        assertThat(listener.getSummary().getTotalFailureCount())
                .as("%s", printed)
                .isPositive();
        return listener.getSummary();
    }

    private static Map<String, String> failures(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .collect(Collectors.toMap(
                        failure -> failure.getTestIdentifier().getDisplayName(),
                        failure -> String.valueOf(failure.getException().getMessage())));
    }
}
