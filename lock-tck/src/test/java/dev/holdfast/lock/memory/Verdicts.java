package dev.holdfast.lock.memory;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.tck.Rule;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * What the kit says of one mutant.
 *
 * @param byRule the result of each rule's test
 */
record Verdicts(Mutant mutant, Map<Rule, TestExecutionResult> byRule) {

    static Verdicts of(Mutant mutant) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(MutantContract.class))
                .configurationParameter(MutantContract.Choice.PARAMETER, mutant.name())
                // A place of its own for each: they run at the same time.
                .configurationParameter(LockStoreContract.REPORTS, "target/conformance/mutants/" + mutant.name())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "12")
                .build();
        Map<Rule, TestExecutionResult> results = new ConcurrentHashMap<>();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                    results.put(rule((MethodSource) test.getSource().orElseThrow()), result);
                }
            }
        });
        return new Verdicts(mutant, new EnumMap<>(results));
    }

    Set<Rule> broken() {
        Set<Rule> broken = EnumSet.noneOf(Rule.class);
        byRule.forEach((rule, result) -> {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                broken.add(rule);
            }
        });
        return broken;
    }

    String message(Rule rule) {
        return byRule.get(rule).getThrowable().map(Throwable::getMessage).orElse("");
    }

    /** By the method's name, such as {@code p1_2_namesAreComparedExactly} or {@code i1_aHeldLockIsShown}. */
    private static Rule rule(MethodSource test) {
        String name = test.getMethodName();
        return Rule.valueOf(name.substring(0, name.lastIndexOf('_')).toUpperCase(Locale.ROOT));
    }
}
