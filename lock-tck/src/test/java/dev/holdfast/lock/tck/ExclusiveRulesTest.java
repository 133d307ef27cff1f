package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.ExclusiveRulesTest.Overlaps;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A rule that disturbs the store runs alone on it, among all classes with the same configuration. */
class ExclusiveRulesTest {

    private static final Rule EXCLUSIVE = Rule.P2_7;
    private static final List<Rule> OTHERS = List.of(Rule.P1_7, Rule.P1_9, Rule.P4_13, Rule.P10_1);

    @TempDir
    Path directory;

    @Test
    void exclusiveRule_whileOtherRulesRunInParallel_neverOverlapsOne() {
        List<MethodSelector> selectors = new ArrayList<>();
        for (Class<?> contract : List.of(One.class, Another.class)) {
            Stream.concat(OTHERS.stream(), Stream.of(EXCLUSIVE))
                    .map(rule -> DiscoverySelectors.selectMethod(contract, KitLauncher.testOf(rule)))
                    .forEach(selectors::add);
        }

        TestExecutionSummary summary = new KitLauncher(directory, true).run(selectors);

        assertThat(summary.getTestsSucceededCount()).isEqualTo(selectors.size());
        assertThat(Overlaps.MOST)
                .as("tests that ran at once: four take seconds, and only two can come between them")
                .hasValueGreaterThan(1);
        assertThat(Overlaps.FOUND).isEmpty();
    }

    /** Notes each pair of tests that run at the same time, and of which one is exclusive. */
    static final class Overlaps implements BeforeTestExecutionCallback, AfterTestExecutionCallback {

        /** How many tests have run at the same time, at most. */
        static final AtomicInteger MOST = new AtomicInteger();

        static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();
        private static final Set<String> RUNNING = ConcurrentHashMap.newKeySet();

        @Override
        public void beforeTestExecution(ExtensionContext context) {
            RUNNING.add(nameOf(context));
            Set<String> running = Set.copyOf(RUNNING);
            MOST.accumulateAndGet(running.size(), Math::max);
            String exclusive = EXCLUSIVE.id();
            if (running.size() > 1 && running.stream().anyMatch(name -> name.endsWith(exclusive))) {
                FOUND.add(running.toString());
            }
        }

        @Override
        public void afterTestExecution(ExtensionContext context) {
            RUNNING.remove(nameOf(context));
        }

        private static String nameOf(ExtensionContext context) {
            return context.getRequiredTestClass().getSimpleName() + " "
                    + KitLauncher.ruleOf(context.getRequiredTestMethod()).id();
        }
    }

    /** Run by the test above only. */
    @ExtendWith(Overlaps.class)
    abstract static class Steppable extends MemoryContract {

        @Override
        protected void stepClockBack(Namespace namespace, Duration by) {
            MemorySpace space = MemorySpace.of(namespace);
            InstantSource before = space.clock();
            space.useClock(() -> before.instant().minus(by));
        }
    }

    static final class One extends Steppable {}

    static final class Another extends Steppable {}
}
