package dev.holdfast.lock.tck;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Shows each test as its rule. */
final class RuleNames extends DisplayNameGenerator.Standard {

    RuleNames() {}

    @Override
    public String generateDisplayNameForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
        Checks checks = method.getAnnotation(Checks.class);
        return checks == null
                ? super.generateDisplayNameForMethod(enclosing, testClass, method)
                : checks.value().id() + " " + checks.value().demand();
    }
}
