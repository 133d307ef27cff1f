package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.Notification;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The subscribers to the notifications of a simulated server. */
final class Listeners {

    private final List<Consumer<Notification>> listeners = new CopyOnWriteArrayList<>();

    AutoCloseable add(Consumer<Notification> to) {
        listeners.add(to);
        return () -> listeners.remove(to);
    }

    void tell(Notification notification) {
        listeners.forEach(listener -> listener.accept(notification));
    }
}
