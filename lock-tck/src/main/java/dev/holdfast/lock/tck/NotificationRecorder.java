package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Subscribes to the notifications of a store and records them. */
final class NotificationRecorder implements AutoCloseable {

    private final List<Notification> received = new CopyOnWriteArrayList<>();
    private final AutoCloseable subscription;

    NotificationRecorder(LockStore store) {
        subscription = store.subscribe(received::add);
    }

    /** In order of arrival. */
    List<Notification> received() {
        return List.copyOf(received);
    }

    void clear() {
        received.clear();
    }

    boolean receivedAny() {
        return received.contains(Notification.ANY);
    }

    /** Whether a notification was received upon which this waiter asks again. */
    boolean receivedFor(LockName name, AcquisitionId id) {
        return received.stream()
                .anyMatch(notification -> notification.name().map(name::equals).orElse(true)
                        && notification.id().map(id::equals).orElse(true));
    }

    @Override
    public void close() {
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException("a subscription could not be closed", e);
        }
    }
}
