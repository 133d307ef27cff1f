package dev.holdfast.lock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Makes {@link Locked} effective in this application context, which needs one bean of type
 * {@link dev.holdfast.lock.Locks}, or a primary one:
 *
 * <pre>{@code
 * @Configuration
 * @EnableLocks
 * class LockConfiguration {
 *
 *     @Bean
 *     Locks locks() {
 *         return Locks.open();
 *     }
 * }
 * }</pre>
 *
 * <p>The Spring Boot starter does this by itself.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import({LockedConfiguration.class, LockedProxyRegistrar.class})
public @interface EnableLocks {

    /**
     * The order of the interceptor among a method's interceptors; a smaller one is further out. The default is inside Spring
     * Security's (up to 600) and outside {@code @Transactional}, which comes last by default. The property {@code
     * holdfast.aop.order} of the environment takes precedence.
     */
    int order() default LockedConfiguration.ORDER;

    /** Whether proxies are subclasses even of beans that implement interfaces. Applies to all of Spring's proxies. */
    boolean proxyTargetClass() default false;
}
