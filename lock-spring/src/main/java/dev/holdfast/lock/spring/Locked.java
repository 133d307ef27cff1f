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
 * <p>On a class, it applies to all methods that the class declares and that a proxy can intercept, except those of {@link
 * Object}; an annotation on a method replaces it. It also works on interfaces and their methods, and as a meta-annotation whose
 * attributes {@code @AliasFor} overrides. It is enabled by {@link EnableLocks}, or by the Spring Boot starter.
 *
 * <p><b>Proxies.</b> As with Spring's own annotations, only calls through the bean's proxy are intercepted. A method called by
 * another method of the same object runs <em>without</em> the lock. Private, static and final methods cannot be intercepted,
 * and are refused at start-up.
 *
 * <p><b>Reentrant by name.</b> A call on a thread that is inside a {@code @Locked} method of the same lock joins the outer
 * lease instead of waiting for itself; the outer call decides the length of the lease. With several names, those not yet held
 * are acquired. Leases that the thread acquired other than by {@code @Locked} are not joined, nor are those of another {@link
 * dev.holdfast.lock.Locks}, as of another application context: there the same name is another lock. A reader joins a writer. A call
 * that asks for more than the thread holds, such as a writer inside a reader, would wait for itself, and throws {@link
 * IllegalStateException}.
 *
 * <p><b>Transactions.</b> The lock is acquired before a transaction of the same method begins, and released after it has
 * ended; {@link EnableLocks#order()} says so. Before a transaction that began under the lock commits, the lease is checked: if
 * it is lost, the transaction rolls back and the call throws {@link dev.holdfast.lock.LockLostException}. If a transaction is
 * already active when the lock is acquired, the lock is held until that transaction has ended, and a warning is logged once per
 * method: the data that the transaction has already read may be outdated.
 *
 * <p><b>Results.</b> If the method returns a {@link java.util.concurrent.CompletionStage}, the lock is held until the stage is
 * completed, and the returned stage is completed after the release. If the lease has been lost by then, it completes
 * exceptionally with {@code LockLostException}. Cancelling the returned stage neither ends the method's own stage nor releases
 * the lock. The wait for the lock still blocks the calling thread. Results whose work goes on, or only begins, after the method has
 * returned, and cannot be awaited, are refused at start-up: a {@link java.util.concurrent.Future}, a coroutine's {@code Job}, and
 * {@code Callable}, {@code DeferredResult} and the like of Spring MVC. If only the returned object shows that it is one of these or a
 * publisher, as with the declared type {@code Object}, the call throws {@link IllegalStateException}.
 *
 * <p><b>Publishers and coroutines.</b> With lock-reactor on the class path, the method may return Reactor's {@code Mono} or {@code
 * Flux} or another type that Spring converts to them. With kotlinx-coroutines-reactor and kotlin-reflect as well, it may be a {@code
 * suspend} function of Kotlin. No thread waits for the lock. Each subscription acquires it, calls the method, and releases it when the
 * method's publisher completes, fails or is cancelled. If the lease is lost, that publisher is cancelled, and the result fails with
 * {@code LockLostException} at once. {@link ReactiveCurrentLease} has the lease. Inner calls join an outer lease through Reactor's
 * context, on any thread. {@link #fenced} is refused at start-up, and transactions are not checked before the commit. A cancelled
 * subscription releases the lock without waiting for work that continues regardless, such as a coroutine's {@code finally} block.
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
 *   <li>{@link IllegalArgumentException} if an expression cannot be evaluated, or its value is not a valid name, such as one
 *       that is too long.
 * </ul>
 *
 * <p><b>Attributes that are text</b> may contain <code>${…}</code> placeholders, resolved at start-up. Durations are written
 * as in Holdfast's configuration ({@code 500ms}, {@code 30s}, {@code 5m}) or in ISO-8601 ({@code PT30S}). A value that is not
 * allowed is refused at start-up with a {@link dev.holdfast.lock.LockConfigurationException} that names class, method and
 * attribute.
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
     * {@code #root.targetClass}, and beans ({@code @tenants.current()}). No expression in a name may be null, empty or blank. A
     * name that consists of one expression whose value is a collection or an array stands for several names.
     */
    @AliasFor("value")
    String[] names() default {};

    /** An expression without <code>#{…}</code>, such as {@code #amount > 0}. The method runs without the lock if it is false. */
    String condition() default "";

    /**
     * The longest wait for the lock; {@code 0s} makes one attempt. If empty, {@code lock.acquire-timeout} applies, which is no limit
     * by default; with {@link OnBusy#SKIP} it is {@code 0s}.
     *
     * <p>Waits on the thread of a web request are limited, unless it is a virtual thread, so that other requests are still served: if
     * neither is set, the wait is 10 seconds ({@code holdfast.web.acquire-timeout}), and at most three quarters of the server's threads
     * wait at a time ({@code holdfast.web.max-waiting}); a further request makes one attempt, or none if many others make theirs.
     */
    String acquireTimeout() default "";

    /**
     * The length of the lease, which is renewed until the method ends. If empty, {@code lock.lease} applies. Not with several
     * names.
     */
    String lease() default "";

    /** The length of a lease that is never renewed. Not together with {@link #lease}, and not with several names. */
    String fixedLease() default "";

    /**
     * The least time for which the lock stays busy after each grant, even if the method ends earlier. For scheduled jobs on
     * nodes whose clocks differ. Not with several names.
     */
    String minimumHold() default "";

    /**
     * Whether the method is a reader: it runs beside other readers of the lock, but not beside a writer, a method without this
     * attribute. Not with several names, {@link #permits}, {@link #of} or {@link #fenced}. On a store that keeps exclusive locks only,
     * the start fails.
     */
    boolean shared() default false;

    /** The number of permits of {@link #of} that the method takes, all or none. Needs {@link #of} if it is more than 1. */
    int permits() default 1;

    /**
     * The maximum number of permits that are held at a time, on all nodes: with {@code of = 4} four calls with one permit each run at
     * once. 0, the default, is an exclusive lock. If the methods of one name differ in it, the lowest value in use applies. Not with
     * several names, {@link #shared} or {@link #fenced}. On a store that keeps exclusive locks only, the start fails.
     */
    int of() default 0;

    /** What happens if the lock stays busy for the whole {@link #acquireTimeout}. */
    OnBusy onBusy() default OnBusy.THROW;

    /**
     * Whether the transaction of the method first enters the fence of the database, which refuses it once a holder with a
     * greater fencing token has entered. Requires a transaction that begins at this method, on the only or the primary {@code
     * DataSource}.
     */
    boolean fenced() default false;
}
