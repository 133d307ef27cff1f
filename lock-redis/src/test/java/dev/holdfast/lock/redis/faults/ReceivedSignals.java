package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Records notifications in their order. */
public final class ReceivedSignals implements Consumer<Notification> {

    private final List<Notification> notifications = new CopyOnWriteArrayList<>();

    @Override
    public void accept(Notification notification) {
        notifications.add(notification);
    }

    /** How many have come so far. */
    public int count() {
        return notifications.size();
    }

    /** Waits until this one has come, after so many others. */
    public void await(Notification notification, int after) {
        Await.until(
                notification + " after " + after + " signals",
                () -> notifications.stream().skip(after).anyMatch(notification::equals));
    }
}
