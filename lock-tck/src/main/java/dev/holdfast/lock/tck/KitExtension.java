package dev.holdfast.lock.tck;

import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import dev.holdfast.lock.tck.ConformanceReport.Verdict;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.TestAbortedException;

/**
 * The callbacks of JUnit around each test: gives the test its {@link Kit} and its share of the store, ends a test that hangs, puts
 * the rule into a failure's message, and collects the outcomes for the {@link ConformanceReport}.
 */
final class KitExtension
        implements BeforeAllCallback,
                AfterAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                ExecutionCondition,
                InvocationInterceptor,
                ParameterResolver,
                TestExecutionExceptionHandler,
                TestWatcher {

    private static final ExtensionContext.Namespace KIT = ExtensionContext.Namespace.create(KitExtension.class);

    private static final Path REPORTS = Path.of("target", "conformance");

    /** More permits than tests. */
    private static final int WHOLE_STORE = 1_000_000;

    KitExtension() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        if (isContract(context)) {
            Path directory = context.getConfigurationParameter(LockStoreContract.REPORTS)
                    .map(Path::of)
                    .orElse(REPORTS);
            OptionalInt histories = context.getConfigurationParameter(LockStoreContract.HISTORIES, Integer::valueOf)
                    .map(OptionalInt::of)
                    .orElseGet(OptionalInt::empty);
            context.getStore(KIT)
                    .put(
                            ConformanceRun.class,
                            new ConformanceRun(context.getRequiredTestClass(), directory, histories));
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (isContract(context)) {
            runOf(context).write();
        }
    }

    /** A class nested in a contract has only tests of its own. */
    private static boolean isContract(ExtensionContext context) {
        return LockStoreContract.class.isAssignableFrom(context.getRequiredTestClass());
    }

    private static ConformanceRun runOf(ExtensionContext context) {
        return Objects.requireNonNull(
                context.getStore(KIT).get(ConformanceRun.class, ConformanceRun.class), "made by beforeAll");
    }

    private static Optional<Checks> checksOf(ExtensionContext context) {
        return context.getTestMethod().map(method -> method.getAnnotation(Checks.class));
    }

    private static LockStoreContract contractOf(ExtensionContext context) {
        return (LockStoreContract) context.getRequiredTestInstance();
    }

    /** Leaves out exempt rules, and all rules once several calls to the store hang. */
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<Rule> rule = isContract(context) ? checksOf(context).map(Checks::value) : Optional.empty();
        if (rule.isEmpty()) {
            return ConditionEvaluationResult.enabled(null);
        }
        Optional<Outcome> leftOut =
                Exemptions.of(contractOf(context).exemptions()).of(rule.get()).or(runOf(context)::outcomeOfHanging);
        leftOut.ifPresent(outcome -> runOf(context).found(rule.get(), outcome));
        return leftOut.map(Outcome::why)
                .map(ConditionEvaluationResult::disabled)
                .orElse(ConditionEvaluationResult.enabled(null));
    }

    @Override
    public void beforeEach(ExtensionContext context) throws InterruptedException {
        if (!isContract(context)) {
            return;
        }
        LockStoreContract contract = contractOf(context);
        Semaphore store = context.getRoot()
                .getStore(KIT)
                .computeIfAbsent(
                        Map.copyOf(contract.configuration()), anyStore -> new Semaphore(WHOLE_STORE), Semaphore.class);
        Share share = new Share(store, checksOf(context).map(Checks::exclusive).orElse(false));
        share.acquire();
        context.getStore(KIT).put(Share.class, share);
        context.getStore(KIT).put(Kit.class, new Kit(contract, runOf(context)));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        context.getStore(KIT).remove(Kit.class); // already closed, unless a call hangs; otherwise JUnit would close it
        Share share = context.getStore(KIT).remove(Share.class, Share.class);
        if (share != null) {
            share.release();
        }
    }

    /**
     * One permit for most tests, all permits for an exclusive one. Not fair, so that waiting for all holds up no other test; nor does it
     * take a thread from them, as JUnit's pool has another one meanwhile.
     */
    private record Share(Semaphore store, boolean exclusive) implements ForkJoinPool.ManagedBlocker {

        void acquire() throws InterruptedException {
            if (exclusive) {
                ForkJoinPool.managedBlock(this);
            } else {
                block();
            }
        }

        @Override
        public boolean block() throws InterruptedException {
            store.acquire(permits());
            return true;
        }

        @Override
        public boolean isReleasable() {
            return false;
        }

        void release() {
            store.release(permits());
        }

        private int permits() {
            return exclusive ? WHOLE_STORE : 1;
        }
    }

    /**
     * Runs the test on its own thread, which is abandoned if a call to the store never returns. The same thread closes the test's
     * resources, as some locks can be released only by the thread that acquired them.
     */
    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> invoked,
            ExtensionContext context)
            throws Throwable {
        Optional<Checks> checks = checksOf(context);
        if (checks.isEmpty()) {
            invocation.proceed();
            return;
        }
        Kit kit = kitOf(context);
        try {
            HangGuard.call(checks.get().value().id(), contractOf(context), () -> {
                try (kit) {
                    invocation.proceed();
                }
                return kit;
            });
        } catch (HangGuard.Hanging e) {
            runOf(context).countHanging();
            throw e;
        }
    }

    private static Kit kitOf(ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(KIT).get(Kit.class, Kit.class), "made by beforeEach");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Kit.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return kitOf(context);
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        Optional<Checks> checks = checksOf(context);
        if (checks.isEmpty() || thrown instanceof TestAbortedException) {
            throw thrown;
        }
        String observation = String.valueOf(thrown instanceof RuleBroken ? thrown.getMessage() : thrown);
        Kit kit = kitOf(context);
        if (thrown.getCause() == null) {
            kit.trace().latestFailure().filter(failure -> failure != thrown).ifPresent(thrown::addSuppressed);
        }
        String story = thrown instanceof RuleBroken broken
                ? broken.story(kit.trace())
                : kit.trace().text();
        throw new AssertionError(
                checks.get().value().broken(observation + kit.clocks().remark()) + story, thrown);
    }

    @Override
    public void testSuccessful(ExtensionContext context) {
        checksOf(context)
                .ifPresent(checks -> runOf(context.getParent().orElseThrow()).passed(checks.value()));
    }

    @Override
    public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
        boolean byKit = cause instanceof LockStoreContract.NotPossible;
        found(context, Outcome.of(byKit ? Verdict.ABORTED : Verdict.NOT_RUN, cause));
    }

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        found(context, Outcome.of(Verdict.FAILED, cause));
    }

    /** Tests that the subclass adds are not reported. */
    private static void found(ExtensionContext context, Outcome outcome) {
        checksOf(context)
                .ifPresent(checks -> runOf(context.getParent().orElseThrow()).found(checks.value(), outcome));
    }

    /** Slow tests first, so that others run meanwhile; exclusive tests last, as they wait until no other test runs. */
    static final class RuleOrder implements MethodOrderer {

        RuleOrder() {}

        @Override
        public void orderMethods(MethodOrdererContext context) {
            context.getMethodDescriptors()
                    .sort(Comparator.comparingInt(RuleOrder::rank)
                            .thenComparing(method -> method.getMethod().getName()));
        }

        private static int rank(MethodDescriptor method) {
            return method.findAnnotation(Checks.class)
                    .map(checks -> checks.slow() ? 0 : checks.exclusive() ? 2 : 1)
                    .orElse(1);
        }
    }

    /** Displays each test as its rule. */
    static final class RuleNames extends DisplayNameGenerator.Standard {

        RuleNames() {}

        @Override
        public String generateDisplayNameForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
            Checks checks = method.getAnnotation(Checks.class);
            return checks == null
                    ? super.generateDisplayNameForMethod(enclosing, testClass, method)
                    : checks.value().id() + " " + checks.value().demand();
        }
    }
}
