package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import jakarta.annotation.PostConstruct;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import kotlin.coroutines.Continuation;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.web.context.request.async.DeferredResult;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Annotations that are not allowed fail the start, with a sentence that names class, method and attribute. */
class LockedStartupTest {

    /** Spring converts it only with kotlinx-coroutines-reactor, which is not on this class path. */
    @Test
    void flow_thatSpringDoesNotConvert_isRefused() {
        Class<?> flow = new ByteBuddy()
                .makeInterface()
                .name("kotlinx.coroutines.flow.Flow")
                .make()
                .load(LockedStartupTest.class.getClassLoader())
                .getLoaded();
        Class<?> service = new ByteBuddy()
                .makeInterface()
                .defineMethod("run", flow, Visibility.PUBLIC)
                .withoutCode()
                .make()
                .load(flow.getClassLoader())
                .getLoaded();
        assertThatThrownBy(() -> LockedResult.of(service.getMethod("run"), service))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not Flow");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Primitive       | onBusy = SKIP needs a result that can be absent, such as void, an object, an Optional or a Mono, or a nullable one of a suspend function, not boolean
            Unparsable      | the name 'invoice:#{#id' cannot be parsed: No ending suffix '}' for expression starting at character 8: #{#id
            BadExpression   | the name '#{1 +}' cannot be parsed: EL1042E: Problem parsing right operand
            UnknownBean     | the name '#{@tenants.current()}' refers to a bean 'tenants', which does not exist
            UnknownArgument | the name 'invoice:#{#idd}' refers to an argument '#idd', which does not exist; there are id
            UnknownPosition | the name '#{#p1}' refers to an argument '#p1', which does not exist; there are id
            WithoutBraces   | the name 'invoice:#id' has '#id' outside of an expression: write #{#id}
            UnknownFunction | the name '#{#now()}' calls a function, #now(), and there are none
            Placeholder     | the name '${no.such.key}:x' has a placeholder without a value
            NoName          | a lock needs a name, such as @Locked("invoice:#{#id}")
            EmptyName       | the name '' is not allowed
            TwoAliases      | Different @AliasFor mirror values for annotation [dev.holdfast.lock.spring.Locked]
            BadDuration     | acquireTimeout 'soon' is not a duration such as 500ms, 30s, 5m, 2h, 1d or PT30S
            NegativeLease   | minimumHold '-PT1S' is negative
            BothLeases      | lease and fixedLease exclude each other
            ShortLease      | a lease
            LongHold        | a minimum hold of 2m is longer than the fixed lease of 1m
            LeaseOfSeveral  | lease, fixedLease, minimumHold, shared and of are for a single name, not for several
            SharedSeveral   | lease, fixedLease, minimumHold, shared and of are for a single name, not for several
            SharedOf        | shared = true excludes permits and of: any number of readers run at the same time
            PermitsOfNone   | permits = 2 needs of, the maximum number that are held at a time, such as of = 4
            TooManyPermits  | permits = 5, of = 4: 5 permits are more than the limit of 4, and could never be granted
            NoPermit        | permits = 0, of = 4: a share has at least 1 permit: 0
            FencedReader    | fenced = true is for an exclusive lock
            BadCondition    | the condition '#id >' cannot be parsed
            Braces          | the condition '#{#id > 1}' is an expression as it is, without #{ and }
            FencedMono      | fenced = true is for a JDBC transaction
            OwnPublisher    | declare Mono, Flux or another type that Spring can convert to them, not ConnectableFlux
            Suspending      | a suspend function returns before its work is done
            PlainFuture     | the end of the work of a Future cannot be observed
            Scheduled       | the end of the work of a ScheduledFuture cannot be observed
            AsyncRequest    | the end of the work of a Callable cannot be observed
            Postponed       | the end of the work of a DeferredResult cannot be observed
            OwnFuture       | declare CompletableFuture or CompletionStage, not its subtype OwnResult
            Private         | a proxy cannot intercept a private method
            Static          | a proxy cannot intercept a static method
            Final           | a proxy cannot intercept a final method
            FinalOfClass    | a proxy cannot intercept a final method
            AfterConstruct  | Spring calls this method on the bean itself and not through its proxy
            Twice           | the annotation appears more than once, and only one would count
            """)
    void annotation_thatIsNotAllowed_failsTheStart(String type, String reason) throws Exception {
        Class<?> component = Class.forName(LockedStartupTest.class.getName() + "$" + type);
        Throwable thrown = catchThrowable(() -> Contexts.of(component).close());
        assertThat(thrown).isNotNull();
        assertThat(cause(thrown))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageStartingWith("@Locked on " + component.getName() + ".run(")
                .hasMessageContaining(reason);
    }

    /** They run before there is a proxy, and so without a lock. */
    @ParameterizedTest
    @ValueSource(classes = {Initializing.class, WithInitMethod.class})
    void methodThatSpringCallsOnTheBeanItself_failsTheStart(Class<?> component) {
        assertThat(cause(catchThrowable(() -> Contexts.of(component).close())))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("on the bean itself and not through its proxy");
    }

    @Test
    void annotationOfAClass_leavesTheStartOfItsBeansAlone() {
        try (AnnotationConfigApplicationContext context = Contexts.of(LockedButForItsStart.class)) {
            context.getBean(LockedButForItsStart.class).run();
        }
    }

    @Test
    void placeholder_unknownToAStrictResolver_failsTheStart() {
        Throwable thrown =
                catchThrowable(() -> Contexts.of(PropertySourcesPlaceholderConfigurer.class, Placeholder.class)
                        .close());
        assertThat(cause(thrown))
                .hasMessageStartingWith("@Locked on " + Placeholder.class.getName() + ".run(")
                .hasMessageContaining("has a placeholder without a value");
    }

    @Test
    void locks_whenThereAreNoneOrSeveral_failTheStart() {
        AnnotationConfigApplicationContext none = new AnnotationConfigApplicationContext();
        none.register(Contexts.Enabled.class, Fine.class);
        assertThat(catchThrowable(none::refresh))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageStartingWith("@Locked needs one bean of type dev.holdfast.lock.Locks");
        none.close();

        AnnotationConfigApplicationContext unused = new AnnotationConfigApplicationContext(Contexts.Enabled.class);
        unused.close();

        Locks first = Contexts.locks();
        Locks second = Contexts.locks();
        AnnotationConfigApplicationContext several = new AnnotationConfigApplicationContext();
        several.registerBean("first", Locks.class, () -> first);
        several.registerBean("second", Locks.class, () -> second);
        several.register(Contexts.Enabled.class, Fine.class);
        assertThat(catchThrowable(several::refresh)).hasMessageContaining("first,second");
        several.close();
    }

    @Test
    void fence_withoutSpringsTransactions_failsTheStart() {
        assertThat(cause(catchThrowable(() -> Contexts.of(Fenced.class).close())))
                .hasMessage("@Locked on " + Fenced.class.getName() + ".run(): fenced = true needs one bean of type"
                        + " javax.sql.DataSource, or a primary one; there are 0");
    }

    @Test
    void order_thatIsNotANumber_failsTheStart() {
        assertThat(cause(catchThrowable(
                        () -> Contexts.with(Contexts.locks(), Map.of("holdfast.aop.order", "first"), Fine.class)
                                .close())))
                .hasMessage("holdfast.aop.order = 'first' is not a whole number");
    }

    @Test
    void annotations_thatAreAllowed_start() {
        assertThatCode(() -> Contexts.of(Fine.class).close()).doesNotThrowAnyException();
    }

    /** Ours, below those with which Spring says which bean it was creating. */
    private static Throwable cause(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof LockConfigurationException) {
                return each;
            }
        }
        return NestedExceptionUtils.getMostSpecificCause(thrown);
    }

    static class Fine {
        @Locked(value = "${no.such.key:x}", acquireTimeout = "${no.such.key:}", lease = " PT1M ")
        protected CompletableFuture<String> run(int id) {
            return CompletableFuture.completedFuture("");
        }

        @Locked("x")
        Object any() {
            return "";
        }
    }

    static class Primitive {
        @Locked(value = "x", onBusy = OnBusy.SKIP)
        boolean run() {
            return true;
        }
    }

    static class Unparsable {
        @Locked("invoice:#{#id")
        void run(long id) {}
    }

    static class BadExpression {
        @Locked("#{1 +}")
        void run() {}
    }

    static class UnknownBean {
        @Locked("#{@tenants.current()}")
        void run() {}
    }

    static class UnknownArgument {
        @Locked("invoice:#{#idd}")
        void run(long id) {}
    }

    static class UnknownPosition {
        @Locked("#{#p1}")
        void run(long id) {}
    }

    static class WithoutBraces {
        @Locked("invoice:#id")
        void run(long id) {}
    }

    static class UnknownFunction {
        @Locked("#{#now()}")
        void run() {}
    }

    static class Placeholder {
        @Locked("${no.such.key}:x")
        void run() {}
    }

    static class NoName {
        @Locked
        void run() {}
    }

    static class EmptyName {
        @Locked("")
        void run() {}
    }

    static class TwoAliases {
        @Locked(value = "x", names = "y")
        void run() {}
    }

    static class BadDuration {
        @Locked(value = "x", acquireTimeout = "soon")
        void run() {}
    }

    static class NegativeLease {
        @Locked(value = "x", minimumHold = "-PT1S")
        void run() {}
    }

    static class BothLeases {
        @Locked(value = "x", lease = "1m", fixedLease = "1m")
        void run() {}
    }

    static class ShortLease {
        @Locked(value = "x", lease = "1ms")
        void run() {}
    }

    static class LongHold {
        @Locked(value = "x", fixedLease = "1m", minimumHold = "2m")
        void run() {}
    }

    static class LeaseOfSeveral {
        @Locked(
                value = {"x", "y"},
                lease = "1m")
        void run() {}
    }

    static class SharedSeveral {
        @Locked(
                value = {"x", "y"},
                shared = true)
        void run() {}
    }

    static class SharedOf {
        @Locked(value = "x", shared = true, of = 4)
        void run() {}
    }

    static class PermitsOfNone {
        @Locked(value = "x", permits = 2)
        void run() {}
    }

    static class TooManyPermits {
        @Locked(value = "x", permits = 5, of = 4)
        void run() {}
    }

    static class NoPermit {
        @Locked(value = "x", permits = 0, of = 4)
        void run() {}
    }

    static class FencedReader {
        @Locked(value = "x", shared = true, fenced = true)
        void run() {}
    }

    static class BadCondition {
        @Locked(value = "x", condition = "#id >")
        void run(int id) {}
    }

    static class Braces {
        @Locked(value = "x", condition = "#{#id > 1}")
        void run(int id) {}
    }

    static class FencedMono {
        @Locked(value = "x", fenced = true)
        Mono<String> run() {
            return Mono.empty();
        }
    }

    static class OwnPublisher {
        @Locked("x")
        ConnectableFlux<String> run() {
            return Flux.<String>empty().publish();
        }
    }

    static class Suspending {
        @Locked("x")
        Object run(int id, Continuation<? super String> continuation) {
            return id;
        }
    }

    static class PlainFuture {
        @Locked("x")
        Future<String> run() {
            return new OwnResult();
        }
    }

    static class Scheduled {
        @Locked("x")
        ScheduledFuture<String> run() {
            throw new AssertionError("the body ran");
        }
    }

    static class AsyncRequest {
        @Locked("x")
        Callable<String> run() {
            return () -> "";
        }
    }

    static class Postponed {
        @Locked("x")
        DeferredResult<String> run() {
            return new DeferredResult<>();
        }
    }

    static class OwnResult extends CompletableFuture<String> {}

    static class OwnFuture {
        @Locked("x")
        OwnResult run() {
            return new OwnResult();
        }
    }

    @SuppressWarnings({"UnusedMethod", "unused"})
    static class Private {
        @Locked("x")
        private void run() {}
    }

    static class Static {
        @Locked("x")
        static void run() {}
    }

    static class Final {
        @Locked("x")
        final void run() {}
    }

    @Locked("x")
    static class FinalOfClass {
        public final void run() {}
    }

    static class Fenced {
        @Locked(value = "x", fenced = true)
        void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Locked("a")
    @interface A {}

    @Retention(RetentionPolicy.RUNTIME)
    @Locked("b")
    @interface B {}

    static class Twice {
        @A
        @B
        void run() {}
    }

    static class AfterConstruct {
        @PostConstruct
        @Locked("any")
        public void run() {}
    }

    static class Initializing implements InitializingBean {
        @Override
        @Locked("any")
        public void afterPropertiesSet() {}
    }

    static class Initialized {
        @Locked("any")
        public void start() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInitMethod {
        @Bean(initMethod = "start")
        Initialized initialized() {
            return new Initialized();
        }
    }

    @Locked("any")
    static class LockedButForItsStart implements InitializingBean {
        @PostConstruct
        void start() {}

        @Override
        public void afterPropertiesSet() {}

        public void run() {}
    }
}
