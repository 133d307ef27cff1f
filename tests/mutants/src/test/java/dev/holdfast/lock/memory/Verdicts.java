package dev.holdfast.lock.memory;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.lock.tck.KitLauncher;
import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.tck.Rule;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The outcome of the kit on one mutant.
 *
 * @param byRule the result of each rule's test
 */
record Verdicts(Mutant mutant, Map<Rule, TestExecutionResult> byRule) {

    /** Runs these rules of each mutant, several mutants at once, as they wait most of the time. */
    static Map<Mutant, Verdicts> ofAll(int atOnce, Function<Mutant, Set<Rule>> rules) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(atOnce);
        try {
            Map<Mutant, Future<Verdicts>> running = new EnumMap<>(Mutant.class);
            for (Mutant mutant : Mutant.values()) {
                running.put(mutant, pool.submit(() -> of(mutant, rules.apply(mutant))));
            }
            Map<Mutant, Verdicts> all = new EnumMap<>(Mutant.class);
            for (Mutant mutant : Mutant.values()) {
                all.put(mutant, running.get(mutant).get());
            }
            return all;
        } finally {
            pool.shutdownNow();
        }
    }

    /** Runs these rules of one mutant. */
    static Verdicts of(Mutant mutant, Set<Rule> rules) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(rules.stream()
                        .map(rule -> selectMethod(MutantContract.class, KitLauncher.testOf(rule)))
                        .toList())
                .configurationParameter(MutantContract.Choice.PARAMETER, mutant.name())
                // a directory for each, as they run at the same time
                .configurationParameter(LockStoreContract.REPORTS, "target/conformance/mutants/" + mutant.name())
                .configurationParameter(LockStoreContract.HISTORIES, mutant == Mutant.REFERENCE ? "6" : "96")
                .configurationParameter("junit.jupiter.execution.parallel.enabled", Boolean.toString(rules.size() > 3))
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "24")
                .build();
        Map<Rule, TestExecutionResult> results = new ConcurrentHashMap<>();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                    results.put(
                            KitLauncher.ruleOf(((MethodSource) test.getSource().orElseThrow()).getJavaMethod()),
                            result);
                }
            }
        });
        return new Verdicts(mutant, copy(results));
    }

    private static Map<Rule, TestExecutionResult> copy(Map<Rule, TestExecutionResult> results) {
        Map<Rule, TestExecutionResult> copy = new EnumMap<>(Rule.class);
        copy.putAll(results);
        return copy;
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
}
