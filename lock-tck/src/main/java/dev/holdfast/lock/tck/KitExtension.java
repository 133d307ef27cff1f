package dev.holdfast.lock.tck;

import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import dev.holdfast.lock.tck.ConformanceReport.Verdict;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.TestAbortedException;

/** Gives each test its {@link Kit}, each failure the name of its rule, and each class its {@link ConformanceReport}. */
final class KitExtension
        implements BeforeAllCallback,
                AfterAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                ExecutionCondition,
                ParameterResolver,
                TestExecutionExceptionHandler,
                TestWatcher {

    private static final ExtensionContext.Namespace OURS = ExtensionContext.Namespace.create(KitExtension.class);

    /** Where Maven keeps what a build makes. */
    private static final Path REPORTS = Path.of("target", "conformance");

    /** More than there are tests. */
    private static final int WHOLE_STORE = 1_000_000;

    KitExtension() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        if (isContract(context)) {
            Path directory = context.getConfigurationParameter(LockStoreContract.REPORTS)
                    .map(Path::of)
                    .orElse(REPORTS);
            context.getStore(OURS).put(KitRun.class, new KitRun(context.getRequiredTestClass(), directory));
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (isContract(context)) {
            runOf(context).write();
        }
    }

    /** A class that is nested in one has tests of its own only. */
    private static boolean isContract(ExtensionContext context) {
        return LockStoreContract.class.isAssignableFrom(context.getRequiredTestClass());
    }

    private static KitRun runOf(ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(OURS).get(KitRun.class, KitRun.class), "made before all tests");
    }

    /** What is exempt is not run. */
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<Outcome> exempt =
                context.getTestMethod().isPresent() && isContract(context) ? exempt(context) : Optional.empty();
        return exempt.map(Outcome::why)
                .map(ConditionEvaluationResult::disabled)
                .orElse(ConditionEvaluationResult.enabled(null));
    }

    private static Optional<Outcome> exempt(ExtensionContext context) {
        Checks checks = context.getRequiredTestMethod().getAnnotation(Checks.class);
        if (checks == null) {
            return Optional.empty();
        }
        LockStoreContract contract = (LockStoreContract) context.getRequiredTestInstance();
        Optional<Outcome> exempt = Exemptions.of(contract.exemptions()).of(checks.value());
        exempt.ifPresent(outcome -> runOf(context).found(checks.value(), outcome));
        return exempt;
    }

    /** What needs the whole store waits until no other test is on it, of whatever class; what does not never waits behind that. */
    @Override
    public void beforeEach(ExtensionContext context) {
        if (!isContract(context)) {
            return;
        }
        LockStoreContract contract = (LockStoreContract) context.getRequiredTestInstance();
        Semaphore store = context.getRoot()
                .getStore(OURS)
                .computeIfAbsent(
                        Map.copyOf(contract.configuration()), anyStore -> new Semaphore(WHOLE_STORE), Semaphore.class);
        Share share = new Share(store, context.getRequiredTestMethod().isAnnotationPresent(Alone.class));
        share.take();
        context.getStore(OURS).put(Share.class, share);
        context.getStore(OURS).put(Kit.class, new Kit(contract, runOf(context)));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        try {
            Kit kit = context.getStore(OURS).remove(Kit.class, Kit.class);
            if (kit != null) {
                kit.close();
            }
        } finally {
            Share share = context.getStore(OURS).remove(Share.class, Share.class);
            if (share != null) {
                share.giveBack();
            }
        }
    }

    /** What a test has of a store. Not fair on purpose: a test that waits for the whole of it lets the others overtake. */
    private record Share(Semaphore store, boolean whole) {

        void take() {
            store.acquireUninterruptibly(permits());
        }

        void giveBack() {
            store.release(permits());
        }

        private int permits() {
            return whole ? WHOLE_STORE : 1;
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Kit.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(OURS).get(Kit.class, Kit.class), "made before each test");
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        Checks checks = context.getRequiredTestMethod().getAnnotation(Checks.class);
        if (checks == null || thrown instanceof TestAbortedException) {
            throw thrown;
        }
        String found = String.valueOf(thrown instanceof Broken ? thrown.getMessage() : thrown);
        throw new AssertionError(checks.value().broken(found), thrown);
    }

    @Override
    public void testSuccessful(ExtensionContext context) {
        found(context, Outcome.PASSED);
    }

    @Override
    public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
        found(context, Outcome.of(cause instanceof NotPossible ? Verdict.ABORTED : Verdict.NOT_RUN, cause));
    }

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        found(context, Outcome.of(Verdict.FAILED, cause));
    }

    /** A test of the subclass's own is none of the kit's rules. */
    private static void found(ExtensionContext context, Outcome outcome) {
        Checks checks = context.getRequiredTestMethod().getAnnotation(Checks.class);
        if (checks != null) {
            runOf(classOf(context)).found(checks.value(), outcome);
        }
    }

    /** What outlives the test. */
    private static ExtensionContext classOf(ExtensionContext test) {
        return test.getParent().orElseThrow();
    }
}
