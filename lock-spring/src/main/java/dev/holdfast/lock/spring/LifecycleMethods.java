package dev.holdfast.lock.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

/** The methods that Spring calls on a bean itself, before its proxy exists or bypassing it: they would run without their lock. */
final class LifecycleMethods {

    private static final Set<String> ANNOTATIONS = Set.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            "javax.annotation.PostConstruct",
            "javax.annotation.PreDestroy");

    private LifecycleMethods() {}

    static boolean contain(Method method) {
        for (Annotation annotation : method.getAnnotations()) {
            if (ANNOTATIONS.contains(annotation.annotationType().getName())) {
                return true;
            }
        }
        return is(method, InitializingBean.class, "afterPropertiesSet") || is(method, DisposableBean.class, "destroy");
    }

    private static boolean is(Method method, Class<?> type, String name) {
        return method.getParameterCount() == 0
                && method.getName().equals(name)
                && type.isAssignableFrom(method.getDeclaringClass());
    }
}
