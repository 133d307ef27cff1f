package dev.holdfast.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.LockStore;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ForwardingLockStoreTest {

    /** A value of each type that a parameter or a result of a store has. */
    private static final List<Object> VALUES = List.of(
            List.of(), Set.of(), Duration.ofSeconds(7), 3, "prefix", Stream.of(), (AutoCloseable) () -> {}, (Consumer<
                            Object>)
                    any -> {});

    @Test
    void eachMethodOfAStore_isForwardedWithItsArgumentsAndItsResult() throws ReflectiveOperationException {
        List<List<Object>> received = new ArrayList<>();
        LockStore target = (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    received.add(call(method, arguments == null ? new Object[0] : arguments));
                    return valueOf(method.getReturnType());
                });
        LockStore forwarding = new ForwardingLockStore(target) {};

        for (Method method : LockStore.class.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers())) {
                Object[] arguments = Arrays.stream(method.getParameterTypes())
                        .map(ForwardingLockStoreTest::valueOf)
                        .toArray();
                received.clear();

                assertThat(method.invoke(forwarding, arguments)).isEqualTo(valueOf(method.getReturnType()));
                assertThat(received).containsExactly(call(method, arguments));
            }
        }
    }

    private static List<Object> call(Method method, Object[] arguments) {
        return List.of(method.getName(), List.of(arguments));
    }

    private static Object valueOf(Class<?> type) {
        if (type == void.class) {
            return null;
        }
        Class<?> wanted = type == int.class ? Integer.class : type;
        return VALUES.stream().filter(wanted::isInstance).findFirst().orElseThrow();
    }
}
