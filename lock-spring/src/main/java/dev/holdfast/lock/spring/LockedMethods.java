package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The {@link Locked} methods of the application, each read once. Thread-safe. */
final class LockedMethods {

    private final LockedMethodReader reader;
    private final Map<MethodClassKey, Optional<LockedMethod>> read = new ConcurrentHashMap<>();
    private final Map<Class<?>, Boolean> inspected = new ConcurrentHashMap<>();
    private final List<LockedMethod> found = new CopyOnWriteArrayList<>();

    LockedMethods(ConfigurableBeanFactory beanFactory) {
        this.reader = new LockedMethodReader(beanFactory);
    }

    /** The methods found so far. */
    List<LockedMethod> found() {
        return found;
    }

    /**
     * Whether the class has locked methods. Reads all of them, so that a mistake in one fails the start.
     *
     * @throws LockConfigurationException if one of them is not allowed
     */
    boolean hasAny(Class<?> targetClass) {
        Boolean known = inspected.get(targetClass);
        if (known == null) {
            known = AnnotationUtils.isCandidateClass(targetClass, Locked.class) && inspect(targetClass);
            inspected.put(targetClass, known);
        }
        return known;
    }

    private boolean inspect(Class<?> targetClass) {
        Set<Class<?>> types = new LinkedHashSet<>();
        if (!Proxy.isProxyClass(targetClass)) {
            types.add(ClassUtils.getUserClass(targetClass));
        }
        types.addAll(ClassUtils.getAllInterfacesForClassAsSet(targetClass));
        boolean any = false;
        for (Class<?> type : types) {
            for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
                any |= find(method, targetClass) != null;
            }
        }
        return any;
    }

    /** The called method; null if it is not annotated. */
    @Nullable
    LockedMethod find(MethodInvocation call) {
        Object target = call.getThis();
        Method method = call.getMethod();
        return find(method, target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target));
    }

    /** The annotated method that a call of this one reaches in this class; null if there is none. */
    @Nullable
    LockedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<LockedMethod> known = read.get(key);
        if (known == null) {
            known = Optional.ofNullable(read(method, targetClass));
            Optional<LockedMethod> other = read.putIfAbsent(key, known);
            if (other != null) {
                known = other;
            } else {
                known.ifPresent(found::add);
            }
        }
        return known.orElse(null);
    }

    private @Nullable LockedMethod read(Method method, Class<?> targetClass) {
        // A bridge stands for the method that it calls: a proxy intercepts either of the two.
        if ((method.isSynthetic() && !method.isBridge()) || ReflectionUtils.isObjectMethod(method)) {
            return null;
        }
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        Locked annotation = annotation(specific, specific, userClass);
        if (annotation == null && isCoveredByClass(specific)) {
            annotation = annotation(specific.getDeclaringClass(), specific, userClass);
        }
        if (annotation == null && !specific.equals(method)) {
            annotation = annotation(method, specific, userClass);
            if (annotation == null) {
                annotation = annotation(method.getDeclaringClass(), specific, userClass);
            }
        }
        return annotation == null ? null : reader.read(annotation, specific, userClass);
    }

    /**
     * Private, static and lifecycle methods are not part of what a class offers; a final one is refused, as it would run
     * unlocked.
     */
    private static boolean isCoveredByClass(Method method) {
        int modifiers = method.getModifiers();
        return !Modifier.isPrivate(modifiers) && !Modifier.isStatic(modifiers) && !LifecycleMethods.contain(method);
    }

    private static @Nullable Locked annotation(AnnotatedElement element, Method method, Class<?> targetClass) {
        try {
            List<MergedAnnotation<Locked>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(
                            Locked.class)
                    .toList();
            if (all.size() > 1 && all.get(1).getAggregateIndex() == all.get(0).getAggregateIndex()) {
                throw new LockConfigurationException(LockedMethodReader.describe(method, targetClass)
                        + ": the annotation appears more than once, and only one would count; give all names to one");
            }
            return all.isEmpty() ? null : all.get(0).synthesize();
        } catch (AnnotationConfigurationException e) { // value and names differ
            throw new LockConfigurationException(
                    LockedMethodReader.describe(method, targetClass) + ": " + e.getMessage(), e);
        }
    }
}
