package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spring.LockedMethod.Options;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Reads {@link Locked} annotations, and refuses values that are not allowed, with a sentence that says why. */
final class LockedMethodReader {

    static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final ConfigurableBeanFactory beanFactory;
    private final BeanResolver beans;

    LockedMethodReader(ConfigurableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
        this.beans = new BeanFactoryResolver(beanFactory);
    }

    /**
     * Reads the annotation of a method.
     *
     * @param method of the target class, not of its interface
     * @throws LockConfigurationException naming class, method and attribute, if it is not allowed
     */
    LockedMethod read(Locked annotation, Method method, Class<?> targetClass) {
        String where = describe(method, targetClass);
        requireInterceptable(method, where);
        LockedResult result;
        try {
            result = LockedResult.of(method, targetClass);
        } catch (IllegalArgumentException e) {
            throw new LockConfigurationException(where + ": " + e.getMessage(), e);
        }
        boolean skipping = annotation.onBusy() == OnBusy.SKIP;
        if (skipping && result.isNeverAbsent()) {
            throw new LockConfigurationException(
                    where + ": onBusy = SKIP needs a result that can be absent, such as void,"
                            + " an object, an Optional or a Mono, or a nullable one of a suspend function, not "
                            + method.getReturnType());
        }
        if (annotation.fenced() && result.isReactive()) {
            throw new LockConfigurationException(where
                    + ": fenced = true is for a JDBC transaction on the thread of the method: here pass the fencing"
                    + " token of ReactiveCurrentLease to the statements, and compare it there");
        }
        if (annotation.fenced() && !LockedMethod.JDBC) {
            throw new LockConfigurationException(
                    where + ": fenced = true needs spring-jdbc, which is not on the class path");
        }
        ExpressionCheck check = new ExpressionCheck(beanFactory, method, PARAMETER_NAMES.getParameterNames(method));
        List<NameTemplate> templates = templates(annotation.names(), where, check);
        Options options = options(annotation, where);
        if (templates.size() > 1 && !options.areAllowedForSeveral()) {
            throw new LockConfigurationException(where + ": " + Options.SINGLE_NAME_ONLY);
        }
        if (annotation.fenced() && !options.share().isExclusive()) {
            throw new LockConfigurationException(
                    where + ": fenced = true is for an exclusive lock: holders of a shared or"
                            + " counted lock work at the same time, and the fence would refuse all but the latest");
        }
        return new LockedMethod(
                method,
                targetClass,
                where,
                templates,
                condition(annotation.condition(), where, check),
                options,
                result,
                skipping,
                annotation.fenced(),
                beans);
    }

    static String describe(Method method, Class<?> targetClass) {
        return "@Locked on " + targetClass.getName() + "." + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private static void requireInterceptable(Method method, String where) {
        if (LifecycleMethods.contain(method)) {
            throw new LockConfigurationException(
                    where + ": Spring calls this method on the bean itself and not through its"
                            + " proxy, so it would run without the lock; move what needs the lock to a method of another bean, or to one"
                            + " with @EventListener(ApplicationReadyEvent.class)");
        }
        int modifiers = method.getModifiers();
        String kind = Modifier.isStatic(modifiers)
                ? "static"
                : Modifier.isPrivate(modifiers) ? "private" : Modifier.isFinal(modifiers) ? "final" : null;
        if (kind != null) {
            throw new LockConfigurationException(where + ": a proxy cannot intercept a " + kind
                    + " method, so it would run without the lock; make it overridable, or move the annotation");
        }
    }

    private List<NameTemplate> templates(String[] names, String where, ExpressionCheck check) {
        if (names.length == 0) {
            throw new LockConfigurationException(where + ": a lock needs a name, such as @Locked(\"invoice:#{#id}\")");
        }
        List<NameTemplate> templates = new ArrayList<>();
        for (String name : names) {
            String text = resolve(name, "name", where);
            Expression expression = parse(text, ParserContext.TEMPLATE_EXPRESSION, "name", where);
            String objection = check.objectionTo(expression);
            NameTemplate template = new NameTemplate(where, expression);
            if (objection == null && template.isConstant()) {
                objection = objectionTo(text);
            }
            if (objection != null) {
                throw new LockConfigurationException(where + ": the name '" + text + "' " + objection);
            }
            templates.add(template);
        }
        return templates;
    }

    private static @Nullable String objectionTo(String constant) {
        try {
            new LockName(constant);
            return null;
        } catch (IllegalArgumentException e) {
            return "is not allowed: " + e.getMessage();
        }
    }

    private @Nullable Expression condition(String condition, String where, ExpressionCheck check) {
        String text = resolve(condition, "condition", where);
        if (text.isEmpty()) {
            return null;
        }
        if (text.startsWith("#{")) {
            throw new LockConfigurationException(
                    where + ": the condition '" + text + "' is an expression as it is, without #{ and }");
        }
        Expression expression = parse(text, null, "condition", where);
        String objection = check.objectionTo(expression);
        if (objection != null) {
            throw new LockConfigurationException(where + ": the condition '" + text + "' " + objection);
        }
        return expression;
    }

    private static Expression parse(String text, @Nullable ParserContext context, String attribute, String where) {
        try {
            return context == null ? PARSER.parseExpression(text) : PARSER.parseExpression(text, context);
        } catch (ParseException e) {
            throw new LockConfigurationException(
                    where + ": the " + attribute + " '" + text + "' cannot be parsed: " + e.getSimpleMessage(), e);
        }
    }

    private static Share share(Locked annotation, String where) {
        if (annotation.shared() && (annotation.of() != 0 || annotation.permits() != 1)) {
            throw new LockConfigurationException(
                    where + ": shared = true excludes permits and of: any number of readers run at the same time");
        }
        if (annotation.of() == 0 && annotation.permits() != 1) {
            throw new LockConfigurationException(where + ": permits = " + annotation.permits()
                    + " needs of, the maximum number that are held at a time, such as of = 4");
        }
        if (annotation.of() == 0) {
            return annotation.shared() ? Share.shared() : Share.EXCLUSIVE;
        }
        try {
            return new Share(annotation.permits(), annotation.of());
        } catch (IllegalArgumentException e) {
            throw new LockConfigurationException(
                    where + ": permits = " + annotation.permits() + ", of = " + annotation.of() + ": " + e.getMessage(),
                    e);
        }
    }

    private Options options(Locked annotation, String where) {
        Options options = new Options(
                share(annotation, where),
                duration(annotation.acquireTimeout(), "acquireTimeout", where),
                duration(annotation.lease(), "lease", where),
                duration(annotation.fixedLease(), "fixedLease", where),
                duration(annotation.minimumHold(), "minimumHold", where));
        if (options.lease() != null && options.fixedLease() != null) {
            throw new LockConfigurationException(
                    where + ": lease and fixedLease exclude each other: a lease is renewed or it is not");
        }
        return options;
    }

    private @Nullable Duration duration(String value, String attribute, String where) {
        String text = resolve(value, attribute, where).strip();
        if (text.isEmpty()) {
            return null;
        }
        Duration duration;
        try {
            duration = DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new LockConfigurationException(where + ": " + attribute + " " + e.getMessage(), e);
        }
        if (duration.isNegative()) {
            throw new LockConfigurationException(where + ": " + attribute + " '" + text + "' is negative");
        }
        return duration;
    }

    private String resolve(String value, String attribute, String where) {
        String resolved;
        try {
            resolved = beanFactory.resolveEmbeddedValue(value);
        } catch (IllegalArgumentException e) {
            throw new LockConfigurationException(
                    where + ": the " + attribute + " '" + value + "' has a placeholder without a value: "
                            + e.getMessage(),
                    e);
        }
        if (resolved == null) {
            return "";
        }
        if (resolved.contains("${")) { // not every resolver insists on a value
            throw new LockConfigurationException(where + ": the " + attribute + " '" + value
                    + "' has a placeholder without a value; give it one, or a default as in ${key:default}");
        }
        return resolved;
    }
}
