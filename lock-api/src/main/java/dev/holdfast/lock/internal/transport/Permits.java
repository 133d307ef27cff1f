package dev.holdfast.lock.internal.transport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** Permits whose number may change: below the number in use, none is granted until enough return. Thread-safe. */
final class Permits {

    private final IntSupplier number;
    private final AtomicInteger used = new AtomicInteger();

    Permits(IntSupplier number) {
        this.number = number;
    }

    boolean tryAcquire() {
        int before = used.get();
        while (before < number.getAsInt()) {
            if (used.compareAndSet(before, before + 1)) {
                return true;
            }
            before = used.get();
        }
        return false;
    }

    boolean areExhausted() {
        return used.get() >= number.getAsInt();
    }

    void release() {
        used.decrementAndGet();
    }
}
