package dev.holdfast.lock.spring;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.util.ClassUtils;

/** A method with its {@link Locked} annotation, read and checked. Immutable but for the warning, and thread-safe. */
final class LockedMethod {

    /** Whether spring-tx is present. */
    static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.TransactionExecutionListener", LockedMethod.class.getClassLoader());

    /** Whether spring-jdbc is present, which brings spring-tx. */
    static final boolean JDBC = ClassUtils.isPresent(
            "org.springframework.jdbc.datasource.DataSourceUtils", LockedMethod.class.getClassLoader());

    /**
     * The options of the lock; null for a default duration.
     *
     * @param acquireTimeout zero asks once
     */
    record Options(
            Share share,
            @Nullable Duration acquireTimeout,
            @Nullable Duration lease,
            @Nullable Duration fixedLease,
            @Nullable Duration minimumHold) {

        /** What the options of a lock of several names have to be. */
        static final String SINGLE_NAME_ONLY =
                "lease, fixedLease, minimumHold, shared and of are for a single name, not for several";

        boolean areAllowedForSeveral() {
            return share.isExclusive() && lease == null && fixedLease == null && minimumHold == null;
        }

        /** The lock of this name with these options. */
        DistributedLock lock(Locks locks, String name) {
            DistributedLock view = share.isExclusive()
                    ? locks.named(name)
                    : locks.semaphore(name, share.limit()).permits(share.permits()); // a reader is 1 of any number
            if (lease != null) {
                view = view.withLease(lease);
            }
            if (fixedLease != null) {
                view = view.withFixedLease(fixedLease);
            }
            return minimumHold == null ? view : view.withMinimumHold(minimumHold);
        }
    }

    private final Method method;
    private final Class<?> targetClass;
    private final String description;
    private final List<NameTemplate> templates;
    private final @Nullable Expression condition;
    private final Options options;
    private final LockedResult result;
    private final boolean skipping;
    private final boolean fenced;
    private final BeanResolver beans;
    /** The names if they are the same for each call. */
    private final @Nullable List<String> constantNames;

    private final AtomicBoolean warned = new AtomicBoolean();

    LockedMethod(
            Method method,
            Class<?> targetClass,
            String description,
            List<NameTemplate> templates,
            @Nullable Expression condition,
            Options options,
            LockedResult result,
            boolean skipping,
            boolean fenced,
            BeanResolver beans) {
        this.method = method;
        this.targetClass = targetClass;
        this.description = description;
        this.templates = templates;
        this.condition = condition;
        this.options = options;
        this.result = result;
        this.skipping = skipping;
        this.fenced = fenced;
        this.beans = beans;
        this.constantNames = templates.stream().allMatch(NameTemplate::isConstant) ? evaluate(templates, null) : null;
    }

    Method method() {
        return method;
    }

    Class<?> targetClass() {
        return targetClass;
    }

    Options options() {
        return options;
    }

    boolean isSkipping() {
        return skipping;
    }

    boolean isFenced() {
        return fenced;
    }

    /** The kind of its result. */
    LockedResult result() {
        return result;
    }

    /** Whether the method declares this exception. */
    boolean declares(Class<? extends Exception> exception) {
        for (Class<?> declared : method.getExceptionTypes()) {
            if (declared.isAssignableFrom(exception)) {
                return true;
            }
        }
        return false;
    }

    /** Returns true on the first call only. */
    boolean warnOnce() {
        return !warned.get() && warned.compareAndSet(false, true);
    }

    /**
     * Fails if these locks do not allow the options.
     *
     * @throws IllegalArgumentException if a length is not allowed
     * @throws UnsupportedOperationException if the store keeps exclusive locks only
     */
    void checkOptions(Locks locks) {
        options.lock(locks, "any");
    }

    /**
     * The names for this call, each once; empty if the condition is false.
     *
     * @throws IllegalArgumentException if an expression cannot be evaluated
     */
    List<String> names(MethodInvocation call) {
        if (constantNames != null && condition == null) {
            return constantNames;
        }
        EvaluationContext context = context(call);
        if (condition != null && !isTrue(condition, context)) {
            return List.of();
        }
        return constantNames != null ? constantNames : evaluate(templates, context);
    }

    private static List<String> evaluate(List<NameTemplate> templates, @Nullable EvaluationContext context) {
        if (templates.size() == 1) {
            return templates.get(0).names(context);
        }
        Set<String> names = new LinkedHashSet<>();
        for (NameTemplate template : templates) {
            names.addAll(template.names(context));
        }
        return new ArrayList<>(names);
    }

    private boolean isTrue(Expression expression, EvaluationContext context) {
        Boolean value;
        try {
            value = expression.getValue(context, Boolean.class);
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(
                    this + ": the condition '" + expression.getExpressionString() + "' cannot be evaluated: "
                            + e.getMessage(),
                    e);
        }
        if (value == null) {
            throw new IllegalArgumentException(
                    this + ": the condition '" + expression.getExpressionString() + "' is null, not true or false");
        }
        return value;
    }

    private EvaluationContext context(MethodInvocation call) {
        Object[] arguments = call.getArguments();
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                new LockedCall(method, arguments, call.getThis(), targetClass),
                method,
                arguments,
                LockedMethodReader.PARAMETER_NAMES);
        context.setBeanResolver(beans);
        return context;
    }

    /** For messages. */
    @Override
    public String toString() {
        return description;
    }
}
