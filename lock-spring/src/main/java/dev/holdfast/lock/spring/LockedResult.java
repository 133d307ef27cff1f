package dev.holdfast.lock.spring;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The kind of a method's result: whether a lock can be held until the result is available, and what a skipped call returns. */
final class LockedResult {

    /** Known by name, as the libraries may be absent. */
    private static final Set<String> PUBLISHERS =
            Set.of("org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher");

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private final ResolvableType type;

    private LockedResult(ResolvableType type) {
        this.type = type;
    }

    /**
     * The result of this method.
     *
     * @throws IllegalArgumentException with the reason, if a lock could not be held until the result is available
     */
    static LockedResult of(Method method, Class<?> targetClass) {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION)) {
            throw new IllegalArgumentException("a suspend function returns before its work is done, and resumes on any"
                    + " thread, so the lock would not cover it: lock inside it, or make it a plain function");
        }
        ResolvableType type = ResolvableType.forMethodReturnType(method, targetClass);
        Class<?> raw = type.resolve(method.getReturnType());
        boolean stage = CompletionStage.class.isAssignableFrom(raw);
        if (!stage && isReactive(raw)) {
            throw new IllegalArgumentException(
                    raw.getSimpleName() + " only describes work that a subscriber starts later,"
                            + " after the lock is released: return the value itself or a CompletableFuture");
        }
        if (!stage && Future.class.isAssignableFrom(raw)) {
            throw new IllegalArgumentException("the end of a " + raw.getSimpleName()
                    + " cannot be observed, so the lock" + " would be released too early: return a CompletableFuture");
        }
        if (stage && !raw.isAssignableFrom(CompletableFuture.class)) {
            throw new IllegalArgumentException(
                    "the result completes after the release of the lock, which needs a new future:"
                            + " declare CompletableFuture or CompletionStage, not its subtype " + raw.getSimpleName());
        }
        return new LockedResult(type);
    }

    private static boolean isReactive(Class<?> raw) {
        for (Class<?> each : ClassUtils.getAllInterfacesForClass(raw)) {
            if (PUBLISHERS.contains(each.getName())) {
                return true;
            }
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(raw);
        return adapter != null && !Optional.class.isAssignableFrom(raw);
    }

    /** Whether no value of the type could mean that the call was skipped. */
    boolean isPrimitive() {
        Class<?> raw = type.resolve(Object.class);
        return raw.isPrimitive() && raw != void.class;
    }

    /** The result of a skipped call. */
    @SuppressWarnings("FutureReturnValueIgnored") // the future is the returned value
    @Nullable
    Object skipped() {
        Class<?> raw = type.resolve(Object.class);
        if (CompletionStage.class.isAssignableFrom(raw)) {
            return CompletableFuture.completedFuture(
                    empty(type.as(CompletionStage.class).getGeneric(0).resolve(Object.class)));
        }
        return empty(raw);
    }

    private static @Nullable Object empty(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        } else if (type == OptionalInt.class) {
            return OptionalInt.empty();
        } else if (type == OptionalLong.class) {
            return OptionalLong.empty();
        } else if (type == OptionalDouble.class) {
            return OptionalDouble.empty();
        }
        return null;
    }
}
