package dev.holdfast.lock.tck;

import java.util.Comparator;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/**
 * What takes longest begins first, so that nothing is left that runs by itself at the end; but what needs the whole store, and
 * waits until the others are over, keeps no thread from them before.
 */
final class RuleOrder implements MethodOrderer {

    RuleOrder() {}

    @Override
    public void orderMethods(MethodOrdererContext context) {
        context.getMethodDescriptors()
                .sort(Comparator.comparingInt(RuleOrder::turn)
                        .thenComparing(method -> method.getMethod().getName()));
    }

    private static int turn(MethodDescriptor method) {
        if (method.isAnnotated(Lengthy.class)) {
            return 0;
        }
        return method.isAnnotated(Alone.class) ? 2 : 1;
    }
}
