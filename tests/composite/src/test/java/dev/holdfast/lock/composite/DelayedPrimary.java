package dev.holdfast.lock.composite;

import dev.holdfast.lock.spi.failover.PrimaryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A primary store, and what happens between each of its answers to steps and the arrival of that answer. */
final class DelayedPrimary {

    private final PrimaryStore primary;
    private volatile Runnable meanwhile = () -> {};

    DelayedPrimary(PrimaryStore primary) {
        this.primary = primary;
    }

    /** From now on this happens; what it throws is thrown in place of the answer. */
    void meanwhile(Runnable action) {
        meanwhile = action;
    }

    PrimaryStore store() {
        return (PrimaryStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PrimaryStore.class}, (proxy, method, arguments) -> {
                    Object answer;
                    try {
                        answer = method.invoke(primary, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("execute")) {
                        meanwhile.run();
                    }
                    return answer;
                });
    }
}
