package dev.holdfast.lock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * The method runs while its caller holds a lock: {@code @Locked("invoice:#{#id}")}.
 *
 * <p>At a class, it applies to all methods that the class declares and that a proxy can intercept, except those of
 * {@link Object}; an annotation at the method replaces it. It also works at interfaces and their methods, and as a
 * meta-annotation whose attributes {@code @AliasFor} overrides. It is enabled by {@link EnableLocks}, or by the Spring Boot
 * starter.
 *
 * <p><b>Proxies.</b> As with every annotation of Spring, only calls through the bean's proxy are intercepted. A method that
 * another method of the same object calls runs <em>without</em> the lock. Private, static and final methods cannot be
 * intercepted, and are refused at start-up.
 *
 * <p><b>Reentrant by name.</b> A call on a thread that is inside a {@code @Locked} method of the same lock joins the outer
 * lease instead of waiting for itself; the outer call decides the length of the lease. With several names, those not held yet
 * are acquired. Leases that the thread acquired by other means than {@code @Locked} are not joined.
 *
 * <p><b>Transactions.</b> The lock is acquired before a transaction of the same method begins, and released after it has
 * ended; {@link EnableLocks#order()} says so. Before each transaction commits that began under the lock, the lease is checked:
 * if it is lost, the transaction rolls back and the call throws {@link dev.holdfast.lock.LockLostException}. If a transaction
 * is active already when the lock is acquired, the lock is held until that transaction has ended, and a warning is logged once
 * per method: what the transaction read before may be outdated.
 *
 * <p><b>Results.</b> If the method returns a {@link java.util.concurrent.CompletionStage}, the lock is held until that is
 * completed, and the returned stage is completed after the release. If the lease was lost by then, it completes exceptionally
 * with {@code LockLostException}. Cancelling the returned stage neither ends the method's own nor releases the lock. The wait
 * for the lock blocks the calling thread all the same. Other results that are computed after the method has returned are
 * refused at start-up: reactive types, Kotlin's {@code suspend}, and {@link java.util.concurrent.Future}.
 *
 * <p><b>Exceptions.</b>
 *
 * <ul>
 *   <li>{@link dev.holdfast.lock.LockTimeoutException} if the lock stayed busy, unless {@link #onBusy} is {@code SKIP};
 *   <li>{@link dev.holdfast.lock.LockUnavailableException} if the store did not answer;
 *   <li>{@link dev.holdfast.lock.LockLostException} if the lease was lost before the method ended; added as suppressed to
 *       an exception of the method itself;
 *   <li>{@link InterruptedException} if the thread is interrupted while it waits and the method declares that exception;
 *       otherwise {@link java.util.concurrent.CancellationException} with the thread's interrupt flag set;
 *   <li>{@link IllegalArgumentException} if an expression cannot be evaluated, or gives what is no name, such as one that is too
 *       long.
 * </ul>
 *
 * <p><b>Attributes that are text</b> may contain <code>${…}</code> placeholders, resolved at start-up. Durations are written
 * as in Holdfast's configuration ({@code 500ms}, {@code 30s}, {@code 5m}) or in ISO-8601 ({@code PT30S}). What is not allowed
 * is refused at start-up with a {@link dev.holdfast.lock.LockConfigurationException} that names class, method and attribute.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Locked {

    /** The same as {@link #names}. */
    @AliasFor("names")
    String[] value() default {};

    /**
     * The names of the locks: at least one. Several are acquired all or none, in an order that excludes deadlocks between
     * calls that hold nothing else.
     *
     * <p>A name is text with expressions of Spring's language in <code>#{…}</code>: arguments by name ({@code #id}, if
     * compiled with {@code -parameters}) or by position ({@code #p0}, {@code #a0}), {@code #root.method}, {@code #root.target},
     * {@code #root.targetClass}, and beans ({@code @tenants.current()}). No expression in a name may be null, empty or
     * blank. A name that is one expression and gives a collection or an array stands for several names.
     */
    @AliasFor("value")
    String[] names() default {};

    /** An expression without <code>#{…}</code>, such as {@code #amount > 0}. The method runs without the lock if it is false. */
    String condition() default "";

    /**
     * The longest wait for the lock; {@code 0s} asks once. If empty, {@code lock.acquire-timeout} applies, which is no limit
     * by default; with {@link OnBusy#SKIP} it is {@code 0s}.
     *
     * <p>On the thread of a web request, unless it is a virtual one, the wait is 10 seconds if neither says anything
     * ({@code holdfast.web.acquire-timeout}), and only so many requests wait at a time that others are still served
     * ({@code holdfast.web.max-waiting}, three quarters of the server's threads): a further one asks once.
     */
    String acquireTimeout() default "";

    /** The length of the lease, which is renewed until the method ends. If empty, {@code lock.lease}. Not with several names. */
    String lease() default "";

    /** The length of a lease that is never renewed. Not together with {@link #lease}, and not with several names. */
    String fixedLease() default "";

    /**
     * For how long the lock stays busy at least after each grant, even if the method ends earlier. For scheduled jobs on nodes
     * whose clocks differ. Not with several names.
     */
    String minimumHold() default "";

    /** What happens if the lock stays busy for all of {@link #acquireTimeout}. */
    OnBusy onBusy() default OnBusy.THROW;

    /**
     * Whether the transaction of the method enters the fence of the database first, so that it is refused
     * after a holder with a greater fencing token. Requires a transaction that begins at this method, on the only or the
     * primary {@code DataSource}.
     */
    boolean fenced() default false;
}
