package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Notification;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Subscribes to the notifications of a store and records them. */
final class NotificationRecorder implements AutoCloseable {

    private final List<Notification> received = new CopyOnWriteArrayList<>();
    private final AutoCloseable subscription;

    NotificationRecorder(StoreClient client) {
        subscription = client.store().subscribe(notification -> {
            client.trace().heard(notification);
            received.add(notification);
        });
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

    /**
     * Waits for a notification that makes this waiter ask again. To be called after the event.
     *
     * @param event the event that must be notified
     */
    void await(Kit kit, String event, LockName name, AcquisitionId id) {
        kit.expectPlaceLasted(event, id);
        try {
            kit.await("a waiter is notified", () -> receivedFor(name, id));
        } catch (RuleBroken e) {
            throw new RuleBroken(
                    event + " must notify the waiter " + StoreClient.owner(id) + " of " + SampleNames.escaped(name)
                            + ", but " + kit.contract.patience() + " later "
                            + (received.isEmpty() ? "no notification has come" : "only these have come: " + received),
                    e);
        }
    }

    /** Whether a notification was received that makes this waiter ask again. */
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
