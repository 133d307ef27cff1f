package dev.holdfast.lock.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The kind of a method's result: whether a lock can be held until the result is available, and what a skipped call returns. */
final class LockedResult {

    /** Whether lock-reactor is present, which brings Reactor. */
    static final boolean REACTOR = isPresent("dev.holdfast.lock.reactor.ReactorLock");

    /** Whether Spring intercepts suspend functions, as publishers. */
    private static final boolean COROUTINES = isPresent("kotlinx.coroutines.reactor.MonoKt");

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    /** Known by name, as the libraries may be absent. */
    private static final Set<String> PUBLISHERS =
            Set.of("org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher", FLOW);

    /** Handles of work that goes on, or only begins, after the method has returned. Known by name, as the libraries may be absent. */
    private static final Set<String> HANDLES = Set.of(
            "java.util.concurrent.Future",
            "kotlinx.coroutines.Job",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** Whether the work of an instance goes on, or only begins, after the method has returned it. */
    private static final ClassValue<Boolean> IS_UNDONE = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isA(HANDLES, type) || isA(PUBLISHERS, type);
        }
    };

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";
    private static final String UNIT = "kotlin.Unit";

    private final ResolvableType type;
    private final boolean isReactive;
    private final boolean isMany;
    private final boolean isNeverAbsent;
    /** Of a publisher of another library than Reactor. */
    private final @Nullable ReactiveAdapter adapter;

    private LockedResult(
            ResolvableType type,
            boolean isReactive,
            boolean isMany,
            boolean isNeverAbsent,
            @Nullable ReactiveAdapter adapter) {
        this.type = type;
        this.isReactive = isReactive;
        this.isMany = isMany;
        this.isNeverAbsent = isNeverAbsent;
        this.adapter = adapter;
    }

    /**
     * The result of this method.
     *
     * @throws IllegalArgumentException with the reason, if a lock could not be held until the result is available
     */
    static LockedResult of(Method method, Class<?> targetClass) {
        if (isSuspending(method)) {
            return ofSuspending(method);
        }
        ResolvableType type = ResolvableType.forMethodReturnType(method, targetClass);
        Class<?> raw = type.resolve(method.getReturnType());
        boolean stage = CompletionStage.class.isAssignableFrom(raw);
        if (!stage && isReactive(raw)) {
            return ofPublisher(type, raw);
        }
        if (!stage && isHandle(raw)) {
            throw new IllegalArgumentException("the end of the work of a " + raw.getSimpleName()
                    + " cannot be observed, so the lock would be released too early: return a CompletableFuture, or acquire the"
                    + " lock in that work");
        }
        if (stage && !raw.isAssignableFrom(CompletableFuture.class)) {
            throw new IllegalArgumentException(
                    "the result completes after the release of the lock, which needs a new future:"
                            + " declare CompletableFuture or CompletionStage, not its subtype " + raw.getSimpleName());
        }
        return new LockedResult(type, false, false, raw.isPrimitive() && raw != void.class, null);
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, LockedResult.class.getClassLoader());
    }

    private static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(CONTINUATION);
    }

    private static LockedResult ofSuspending(Method method) {
        if (!REACTOR || !COROUTINES || !KotlinDetector.isSuspendingFunction(method)) {
            throw new IllegalArgumentException(
                    "a suspend function returns before its work is done: the lock is held until then"
                            + " only with lock-reactor, kotlinx-coroutines-reactor and kotlin-reflect on the class path");
        }
        MethodParameter result = new MethodParameter(method, -1);
        Class<?> raw = result.getParameterType();
        if (CompletionStage.class.isAssignableFrom(raw) || isHandle(raw)) {
            throw new IllegalArgumentException(
                    "a suspend function that returns a " + raw.getSimpleName()
                            + " ends before its work is done, and the lock would be released too early: await it in the function");
        }
        boolean isMany = raw.getName().equals(FLOW);
        boolean isUnit = raw == void.class || raw.getName().equals(UNIT);
        boolean isNeverAbsent = !isMany && !isUnit && !result.isOptional();
        return new LockedResult(ResolvableType.forClass(raw), true, isMany, isNeverAbsent, null);
    }

    private static LockedResult ofPublisher(ResolvableType type, Class<?> raw) {
        if (!REACTOR) {
            throw new IllegalArgumentException(
                    "a " + raw.getSimpleName() + " only describes work that a subscriber starts"
                            + " later: the lock is held during that work only with lock-reactor on the class path");
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(raw);
        if (adapter == null || adapter.getReactiveType() != raw) {
            throw new IllegalArgumentException("the result completes after the release of the lock, which needs a new"
                    + " publisher: declare Mono, Flux or another type that Spring can convert to them, not "
                    + raw.getSimpleName());
        }
        return new LockedResult(type, true, adapter.isMultiValue(), !adapter.supportsEmpty(), adapter);
    }

    /**
     * Refuses a result whose work goes on, or only begins, now that the method has returned, though its declared type does not say so.
     *
     * @throws IllegalStateException if the lock is released before the work has ended
     */
    static void requireDone(@Nullable Object result, LockedMethod method) {
        if (result != null
                && IS_UNDONE.get(result.getClass())
                && !(result instanceof Future<?> future && future.isDone())) {
            throw new IllegalStateException(method + ": it has returned a "
                    + result.getClass().getSimpleName()
                    + ", whose work the lock does not cover, as the declared type does not say so: declare it");
        }
    }

    private static boolean isHandle(Class<?> raw) {
        return raw == Callable.class || isA(HANDLES, raw); // a subtype of Callable may be anything
    }

    /** Whether the type, a superclass or an interface of it has one of these names. */
    private static boolean isA(Set<String> names, @Nullable Class<?> type) {
        return type != null
                && (names.contains(type.getName())
                        || isA(names, type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(each -> isA(names, each)));
    }

    private static boolean isReactive(Class<?> raw) {
        if (isA(PUBLISHERS, raw)) {
            return true;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(raw);
        return adapter != null && !Optional.class.isAssignableFrom(raw);
    }

    /** Whether the work begins when a subscriber or a coroutine asks for the result, and ends with that. */
    boolean isReactive() {
        return isReactive;
    }

    /** Of a reactive result: whether it may have several elements. */
    boolean isMany() {
        return isMany;
    }

    /** Of a reactive result: converts between the method's type and those of Reactor; null if that is not needed. */
    @Nullable
    ReactiveAdapter adapter() {
        return adapter;
    }

    /** Whether no value of the type could mean that the call was skipped: a primitive, or a type of Kotlin that is not nullable. */
    boolean isNeverAbsent() {
        return isNeverAbsent;
    }

    /** The result of a skipped call that is not reactive. */
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
