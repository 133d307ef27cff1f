package dev.holdfast.lock.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the kit within a test, and reads its reports. */
public final class KitLauncher {

    private final Path reports;
    private final boolean parallel;

    /** @param reports the directory for the reports */
    KitLauncher(Path reports, boolean parallel) {
        this.reports = reports;
        this.parallel = parallel;
    }

    /** The test of a rule. */
    public static Method testOf(Rule rule) {
        return Stream.of(LockStoreContract.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Checks.class) && ruleOf(method) == rule)
                .findFirst()
                .orElseThrow();
    }

    /** The rule that a method tests. */
    public static Rule ruleOf(Method test) {
        return test.getAnnotation(Checks.class).value();
    }

    /** Runs these rules, or the whole class if there are none. */
    TestExecutionSummary run(Class<?> contract, Rule... rules) {
        return run(
                rules.length == 0
                        ? List.of(selectClass(contract))
                        : Stream.of(rules)
                                .map(rule -> selectMethod(contract, testOf(rule)))
                                .toList());
    }

    TestExecutionSummary run(List<? extends DiscoverySelector> selectors) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
                                .configurationParameter(LockStoreContract.REPORTS, reports.toString())
                                .configurationParameter(
                                        "junit.jupiter.execution.parallel.enabled", Boolean.toString(parallel))
                                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "false")
                                .build(),
                        listener);
        return listener.getSummary();
    }

    /** The report of a class as text. */
    String textReport(Class<?> contract) {
        return read(contract, ".txt");
    }

    /** The report of a class as JSON. */
    String jsonReport(Class<?> contract) {
        return read(contract, ".json");
    }

    private String read(Class<?> contract, String suffix) {
        try {
            return Files.readString(reports.resolve(contract.getName() + suffix));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
