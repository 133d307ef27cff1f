package dev.holdfast.lock.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The {@code #root} of the expressions in a {@link Locked} annotation. */
final class LockedCall {

    private final Method method;
    private final @Nullable Object[] arguments;
    private final @Nullable Object target;
    private final Class<?> targetClass;

    LockedCall(Method method, @Nullable Object[] arguments, @Nullable Object target, Class<?> targetClass) {
        this.method = method;
        this.arguments = arguments;
        this.target = target;
        this.targetClass = targetClass;
    }

    public Method getMethod() {
        return method;
    }

    public String getMethodName() {
        return method.getName();
    }

    public @Nullable Object[] getArgs() {
        return arguments;
    }

    public @Nullable Object getTarget() {
        return target;
    }

    public Class<?> getTargetClass() {
        return targetClass;
    }
}
