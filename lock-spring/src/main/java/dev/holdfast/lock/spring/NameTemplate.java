package dev.holdfast.lock.spring;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;

/** One name in a {@link Locked} annotation: text with expressions in it. */
final class NameTemplate {

    /** Whether a class has its own text instead of {@code Name@hash}, which differs between processes. */
    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                return false;
            }
        }
    };

    private final String where;
    private final String text;
    private final Expression[] parts;

    /** @param where for messages: the annotated method */
    NameTemplate(String where, Expression parsed) {
        this.where = where;
        this.text = parsed.getExpressionString();
        this.parts = parsed instanceof CompositeStringExpression several
                ? several.getExpressions()
                : new Expression[] {parsed};
    }

    boolean isConstant() {
        return parts.length == 1 && parts[0] instanceof LiteralExpression;
    }

    /** @param context null if this is constant */
    List<String> names(@Nullable EvaluationContext context) {
        if (context == null) {
            return List.of(text);
        }
        if (parts.length == 1) {
            Object value = evaluate(parts[0], context);
            return value != null && isSeveral(value) ? each(value) : List.of(textOf(value, parts[0]));
        }
        StringBuilder name = new StringBuilder(text.length() + 16);
        for (Expression part : parts) {
            if (part instanceof LiteralExpression) {
                name.append(part.getExpressionString());
            } else {
                name.append(textOf(evaluate(part, context), part));
            }
        }
        return List.of(name.toString());
    }

    private @Nullable Object evaluate(Expression part, EvaluationContext context) {
        try {
            return part.getValue(context);
        } catch (EvaluationException e) {
            throw refusal(part, "cannot be evaluated: " + e.getMessage(), e);
        }
    }

    private static boolean isSeveral(Object value) {
        return value instanceof Collection || value.getClass().isArray();
    }

    private List<String> each(Object several) {
        List<Object> values = new ArrayList<>();
        if (several instanceof Collection<?> collection) {
            values.addAll(collection);
        } else {
            for (int i = 0; i < Array.getLength(several); i++) {
                values.add(Array.get(several, i));
            }
        }
        if (values.isEmpty()) {
            throw refusal(parts[0], "is empty, and names no lock", null);
        }
        Set<String> names = new LinkedHashSet<>();
        for (Object value : values) {
            names.add(textOf(value, parts[0]));
        }
        return List.copyOf(names);
    }

    private String textOf(@Nullable Object value, Expression part) {
        String name;
        if (value instanceof String string) {
            name = string;
        } else if (value instanceof Number) {
            name = value.toString();
        } else if (value == null) {
            throw refusal(part, "is null", null);
        } else if (value instanceof Enum<?> constant) {
            name = constant.name();
        } else if (value instanceof Optional<?> optional) {
            name = textOf(optional.orElse(null), part);
        } else if (isSeveral(value)) {
            throw refusal(part, "gives several values, which only an expression that is the whole name can", null);
        } else if (!HAS_TEXT.get(value.getClass())) {
            String type = value.getClass().getName();
            throw refusal(part, "is a " + type + ", which has no toString() that is the same in each process", null);
        } else {
            name = value.toString();
        }
        if (name.isBlank()) {
            throw refusal(part, name.isEmpty() ? "is empty" : "is blank", null);
        }
        return name;
    }

    private IllegalArgumentException refusal(Expression part, String reason, @Nullable Exception cause) {
        return new IllegalArgumentException(
                where + ": #{" + part.getExpressionString() + "} in the lock name '" + text + "' " + reason, cause);
    }

    @Override
    public String toString() {
        return text;
    }
}
