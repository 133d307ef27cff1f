package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** All notifications that were received, in their order. */
final class ReceivedNotifications implements Consumer<Notification> {

    private final List<Notification> notifications = new CopyOnWriteArrayList<>();

    private volatile Thread teller;

    @Override
    public void accept(Notification notification) {
        teller = Thread.currentThread();
        notifications.add(notification);
    }

    /** The thread that the last one came on. */
    Thread teller() {
        return teller;
    }

    /** How many have come so far. */
    int count() {
        return notifications.size();
    }

    /** All that have come so far. */
    List<Notification> all() {
        return List.copyOf(notifications);
    }

    /** Waits until this one has come, after so many others. */
    void await(Notification notification, int after) {
        Await.until(
                notification + " after " + after + " signals",
                () -> all().stream().skip(after).anyMatch(notification::equals));
    }

    void awaitAny() {
        await(Notification.ANY, 0);
    }

    void awaitTurn(String name, AcquisitionId id) {
        await(Notification.of(new LockName(name), id), 0);
    }
}
