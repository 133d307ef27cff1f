package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.tck.ConformanceReport.Origin;
import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import dev.holdfast.lock.tck.ConformanceReport.Verdict;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** The text of a report, word by word. */
class ConformanceReportTest {

    private static final int ALL = Rule.values().length;

    private static final Outcome UNBREAKABLE =
            Outcome.of(Verdict.ABORTED, new TestAbortedException("nothing breaks the way"));

    private final Map<Rule, Outcome> outcomes = new EnumMap<>(Rule.class);

    ConformanceReportTest() {
        for (Rule rule : Rule.values()) {
            outcomes.put(rule, Outcome.PASSED);
        }
    }

    @Test
    void report_ofAllRulesPassed_conforms() {
        assertThat(report().conforms()).isTrue();
        assertThat(report().summary()).isEqualTo(ALL + " rules: " + ALL + " passed, 0 aborted, 0 failed");
    }

    @Test
    void abortedRule_isNotPassedButConforms() {
        outcomes.put(Rule.P6_1, UNBREAKABLE);

        assertThat(report().rules(Verdict.PASSED)).hasSize(ALL - 1).doesNotContain(Rule.P6_1);
        assertThat(report().conforms()).isTrue();
        assertThat(report().summary()).isEqualTo(ALL + " rules: " + (ALL - 1) + " passed, 1 aborted, 0 failed");
    }

    @Test
    void failedRule_doesNotConform() {
        outcomes.put(Rule.P1_8, new Outcome(Verdict.FAILED, "P1.8 broken: timed out"));

        assertThat(report().conforms()).isFalse();
    }

    @Test
    void ruleNotRun_doesNotConform() {
        outcomes.remove(Rule.P1_8);

        assertThat(report().outcome(Rule.P1_8).verdict()).isEqualTo(Verdict.NOT_RUN);
        assertThat(report().conforms()).isFalse();
        assertThat(report().summary())
                .isEqualTo(ALL + " rules: " + (ALL - 1) + " passed, 0 aborted, 0 failed, 1 not run");
    }

    @Test
    void reason_isTheFirstLineOfTheException() {
        assertThat(Outcome.of(Verdict.FAILED, new AssertionError("P1.8 broken: so\n  the rule: …")))
                .isEqualTo(new Outcome(Verdict.FAILED, "P1.8 broken: so"));
        assertThat(Outcome.of(Verdict.FAILED, new IllegalStateException()).why())
                .isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void textReport_listsOutcomesByPromise() {
        outcomes.put(Rule.P1_8, new Outcome(Verdict.FAILED, "P1.8 broken: timed out"));
        outcomes.put(Rule.P3_3, UNBREAKABLE);
        outcomes.put(Rule.P6_1, UNBREAKABLE);
        outcomes.put(Rule.P6_2, UNBREAKABLE);
        outcomes.put(Rule.P6_3, Outcome.of(Verdict.ABORTED, new TestAbortedException("for another reason")));
        outcomes.remove(Rule.P10_1);

        assertThat(report().toText()).isEqualTo("""
                %d rules: %d passed, 4 aborted, 1 failed, 1 not run
                the store does not conform

                provider      files
                store         org.example.Store 7 from /jars/store-7.jar
                capabilities  QUEUE, NOTIFICATIONS (lacks LIST, SHARES)
                test class    org.example.StoreTest
                kit           dev.holdfast.Kit 1.0 from /jars/kit "1.0".jar
                api           dev.holdfast.Api
                java          a JVM on a system
                finished      2026-11-21T10:15:30Z

                failed
                  P1 one holder at a time
                    P1.8 broken: timed out

                not run
                  P10 no revival by renewal
                    P10.1: its test was not run

                aborted: cannot be checked on this store
                  P3 losses reported in time
                    P3.3: nothing breaks the way
                  P6 outages reported as outages
                    P6.1, P6.2: nothing breaks the way
                    P6.3: for another reason
                """.formatted(ALL, ALL - 6));
    }

    @Test
    void textReport_hasATitleForEachPromise() {
        outcomes.replaceAll((rule, outcome) -> UNBREAKABLE);

        assertThat(report().toText().lines().filter(line -> line.matches("  P.*")))
                .allSatisfy(line -> assertThat(line).matches("  P[0-9]+ [a-z, ]+"));
    }

    @Test
    void jsonReport_listsEachRule() {
        outcomes.put(Rule.P1_2, new Outcome(Verdict.FAILED, "P1.2 broken: 'a\tb' \\ \"\uD83D\uDD12\" \uD800"));
        outcomes.put(Rule.P1_3, UNBREAKABLE);
        outcomes.remove(Rule.P1_4);

        String json = report().toJson();

        assertThat(json).startsWith("""
                {
                  "conforms": false,
                  "summary": "%d rules: %d passed, 1 aborted, 1 failed, 1 not run",
                  "provider": "files",
                  "store": {"class": "org.example.Store", "version": "7", "location": "/jars/store-7.jar"},
                  "capabilities": ["QUEUE", "NOTIFICATIONS"],
                  "testClass": "org.example.StoreTest",
                  "kit": {"class": "dev.holdfast.Kit", "version": "1.0", "location": "/jars/kit \\"1.0\\".jar"},
                  "api": {"class": "dev.holdfast.Api", "version": null, "location": null},
                  "java": "a JVM on a system",
                  "finished": "2026-11-21T10:15:30Z",
                  "rules": [
                    {"id": "P1.1", "demand": "a held lock is refused to every other id", "verdict": "passed", "why": null},
                    {"id": "P1.2", "demand": "names are compared exactly, code point by code point", \
                "verdict": "failed", "why": "P1.2 broken: 'a\\u0009b' \\\\ \\"\uD83D\uDD12\\" \\ud800"},
                    {"id": "P1.3", "demand": "every allowed name works like any other", \
                "verdict": "aborted", "why": "nothing breaks the way"},
                    {"id": "P1.4", "demand": "equal names in different namespaces are different locks", \
                "verdict": "not run", "why": "its test was not run"},
                """.formatted(ALL, ALL - 3));
        assertThat(json).endsWith("\"why\": null}\n  ]\n}\n");
        assertThat(json.lines().filter(line -> line.startsWith("    {\"id\""))).hasSize(ALL);
    }

    private ConformanceReport report() {
        return new ConformanceReport(
                "org.example.StoreTest",
                Instant.parse("2026-11-21T10:15:30Z"),
                "a JVM on a system",
                new Origin("dev.holdfast.Kit", Optional.of("1.0"), Optional.of("/jars/kit \"1.0\".jar")),
                new Origin("dev.holdfast.Api", Optional.empty(), Optional.empty()),
                Optional.of("files"),
                Optional.of(new Origin("org.example.Store", Optional.of("7"), Optional.of("/jars/store-7.jar"))),
                Set.of(Capability.NOTIFICATIONS, Capability.QUEUE),
                outcomes);
    }
}
