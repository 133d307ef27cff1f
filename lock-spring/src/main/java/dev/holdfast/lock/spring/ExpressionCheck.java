package dev.holdfast.lock.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/** Finds names in an expression that cannot be resolved in any call of a method. */
final class ExpressionCheck {

    private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");

    private final BeanFactory beanFactory;
    private final boolean named;
    private final Set<String> arguments = new LinkedHashSet<>();
    private final Set<String> positions = new LinkedHashSet<>();

    /** @param parameterNames null if the class was compiled without them */
    ExpressionCheck(BeanFactory beanFactory, Method method, @Nullable String @Nullable [] parameterNames) {
        this.beanFactory = beanFactory;
        this.named = parameterNames != null;
        if (parameterNames != null) {
            Arrays.stream(parameterNames).forEach(arguments::add);
        }
        for (int i = 0; i < method.getParameterCount(); i++) {
            positions.add("p" + i);
            positions.add("a" + i);
        }
    }

    /** The reason why the expression cannot work, as the rest of a sentence; null if there is none. */
    @Nullable
    String objectionTo(Expression expression) {
        if (expression instanceof CompositeStringExpression several) {
            for (Expression each : several.getExpressions()) {
                String objection = objectionTo(each);
                if (objection != null) {
                    return objection;
                }
            }
        } else if (expression instanceof SpelExpression spel) {
            return objectionTo(spel.getAST());
        } else if (expression instanceof LiteralExpression literal) {
            return objectionToText(literal.getExpressionString());
        }
        return null;
    }

    /** An argument in text outside an expression is a slip: all calls would share one lock. */
    private @Nullable String objectionToText(String text) {
        for (Matcher each = VARIABLE.matcher(text); each.find(); ) {
            String name = each.group(1);
            if (arguments.contains(name) || positions.contains(name)) {
                return "has '#" + name + "' outside of an expression: write #{#" + name + "}";
            }
        }
        return null;
    }

    private @Nullable String objectionTo(SpelNode node) {
        if (node instanceof BeanReference bean && !beanFactory.containsBean(bean.getName())) {
            return "refers to a bean '" + bean.getName() + "', which does not exist";
        } else if (node instanceof FunctionReference) {
            return "calls a function, " + node.toStringAST() + ", and there are none";
        } else if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            if (!name.equals("root")
                    && !name.equals("this")
                    && !arguments.contains(name)
                    && !positions.contains(name)) {
                return "refers to an argument '#" + name + "', which does not exist; " + known();
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            String objection = objectionTo(node.getChild(i));
            if (objection != null) {
                return objection;
            }
        }
        return null;
    }

    private String known() {
        if (positions.isEmpty()) {
            return "the method has no arguments";
        }
        return named
                ? "there are " + String.join(", ", arguments)
                : "the class was compiled without -parameters, so there are " + String.join(", ", positions);
    }
}
