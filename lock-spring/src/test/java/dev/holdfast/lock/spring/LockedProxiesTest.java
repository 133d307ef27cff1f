package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;

/** Calls that reach a locked method in another way than by its own declaration, on proxies of both kinds. */
class LockedProxiesTest {

    @ParameterizedTest
    @ValueSource(classes = {ByInterface.class, ByClass.class})
    void methodOfGenericInterface_isLockedByItsImplementation(Class<?> proxies) {
        try (AnnotationConfigApplicationContext context = start(proxies, Orders.class)) {
            @SuppressWarnings("unchecked")
            Store<Integer> store = context.getBean(Store.class);
            assertThat(AopUtils.isJdkDynamicProxy(store)).isEqualTo(proxies == ByInterface.class);
            assertThat(store.save(7)).containsExactly("order:7");
            assertThat(store.saveTwice(7)).containsExactly("twice:7");
        }
    }

    @Test
    void methodOfGenericClass_isLockedInItsSubclass() {
        try (AnnotationConfigApplicationContext context = start(ByClass.class, Invoices.class)) {
            Template<Integer> template = context.getBean(Invoices.class);
            assertThat(template.handle(7)).containsExactly("handle:7");
        }
    }

    /** The compiler adds a method to the public class, which calls that of its superclass. */
    @Test
    void publicMethodOfHiddenClass_isLockedInItsPublicSubclass() {
        try (AnnotationConfigApplicationContext context = start(ByClass.class, Shown.class)) {
            Shown shown = context.getBean(Shown.class);
            assertThat(Shown.class.getDeclaredMethods()).anyMatch(method -> method.isBridge());
            assertThat(shown.run(7)).containsExactly("hidden:7");
        }
    }

    @Test
    void methodThatOverridesALockedOne_isLockedToo() {
        try (AnnotationConfigApplicationContext context = start(ByClass.class, Overriding.class)) {
            assertThat(context.getBean(Overriding.class).run(7)).containsExactly("hidden:7");
        }
    }

    @Test
    void finalClass_failsTheStartAndIsNamed() {
        Throwable thrown =
                catchThrowable(() -> start(ByClass.class, Closed.class).close());
        assertThat(thrown).isNotNull();
        assertThat(NestedExceptionUtils.getMostSpecificCause(thrown)).hasMessageContaining(Closed.class.getName());
    }

    private static AnnotationConfigApplicationContext start(Class<?>... components) {
        return Contexts.of(components);
    }

    /** As without Boot. */
    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    static class ByInterface {}

    /** As in Boot. */
    @Configuration(proxyBeanMethods = false)
    @EnableLocks(proxyTargetClass = true)
    static class ByClass {}

    interface Store<T> {
        List<String> save(T value);

        @Locked("twice:#{#p0}")
        default List<String> saveTwice(T value) {
            return CurrentLease.names();
        }
    }

    static class Orders implements Store<Integer> {
        @Override
        @Locked("order:#{#p0}")
        public List<String> save(Integer value) {
            return CurrentLease.names();
        }
    }

    abstract static class Template<T> {
        @Locked("handle:#{#p0}")
        public List<String> handle(T value) {
            return CurrentLease.names();
        }
    }

    static class Invoices extends Template<Integer> {
        @Override
        public List<String> handle(Integer value) {
            return CurrentLease.names();
        }
    }

    static class Hidden {
        @Locked("hidden:#{#p0}")
        public List<String> run(int value) {
            return CurrentLease.names();
        }
    }

    public static class Shown extends Hidden {}

    static class Overriding extends Hidden {
        @Override
        public List<String> run(int value) {
            return CurrentLease.names();
        }
    }

    static final class Closed {
        @Locked("x")
        void run() {}
    }
}
