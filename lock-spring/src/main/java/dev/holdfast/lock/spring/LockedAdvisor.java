package dev.holdfast.lock.spring;

import java.lang.reflect.Method;
import java.util.function.Predicate;
import org.aopalliance.aop.Advice;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Applies an advice to the {@link Locked} methods that a predicate chooses. */
@SuppressWarnings("serial") // as the other advisors of Spring, serializable by inheritance only
class LockedAdvisor extends AbstractPointcutAdvisor {

    private final transient Pointcut pointcut;
    private final transient Advice advice;

    LockedAdvisor(LockedMethods methods, Predicate<LockedMethod> chosen, Advice advice, int order) {
        this.pointcut = new LockedPointcut(methods, chosen);
        this.advice = advice;
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    private static final class LockedPointcut extends StaticMethodMatcherPointcut implements ClassFilter {
        private final LockedMethods methods;
        private final Predicate<LockedMethod> chosen;

        LockedPointcut(LockedMethods methods, Predicate<LockedMethod> chosen) {
            this.methods = methods;
            this.chosen = chosen;
            setClassFilter(this);
        }

        @Override
        public boolean matches(Class<?> type) {
            return methods.hasAny(type);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            LockedMethod found = methods.find(method, targetClass);
            return found != null && chosen.test(found);
        }
    }
}
