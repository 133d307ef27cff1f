package dev.holdfast.lock.spring;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;

/** Whether the current thread serves a web request. Loaded only if spring-web is present. */
final class WebRequests {

    /** {@code Thread.isVirtual()} of Java 21; null before. */
    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

    private WebRequests() {}

    /** False on a virtual thread, as a server can have any number of those. */
    static boolean isServed() {
        return RequestContextHolder.getRequestAttributes() != null && !isVirtual(Thread.currentThread());
    }

    private static boolean isVirtual(Thread thread) {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable MethodHandle isVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }
}
