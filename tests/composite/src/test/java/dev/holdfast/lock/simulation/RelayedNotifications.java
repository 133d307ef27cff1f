package dev.holdfast.lock.simulation;

import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Passes on the notifications of the store that grants, as the composite's relay does; they arrive late, or not at all. */
final class RelayedNotifications {

    private final FailoverWorld world;
    private final FailoverProcess process;
    private final Member member;
    private final Map<Consumer<Notification>, AutoCloseable> subscriptions = new HashMap<>();

    RelayedNotifications(FailoverWorld world, FailoverProcess process, Member member) {
        this.world = world;
        this.process = process;
        this.member = member;
    }

    AutoCloseable subscribe(Consumer<Notification> listener) {
        subscriptions.put(listener, () -> {});
        follow(listener);
        return () -> close(subscriptions.remove(listener));
    }

    /** Another store grants, or another server is the one to be asked. */
    void resubscribe() {
        List.copyOf(subscriptions.keySet()).forEach(this::follow);
    }

    private void follow(Consumer<Notification> listener) {
        close(subscriptions.get(listener));
        Consumer<Notification> late = notification -> {
            if (!world.network.loses(world.random)) {
                world.time.after(
                        world.network.delay(world.random),
                        () -> process.run(() -> {
                            if (subscriptions.containsKey(listener)) {
                                listener.accept(notification);
                            }
                        }));
            }
        };
        AutoCloseable source = member.isIn(FailoverPhase.PRIMARY)
                ? process.node().subscribe(late)
                : member.isIn(FailoverPhase.FALLBACK) ? world.authority.subscribe(late) : () -> {};
        subscriptions.put(listener, source);
        late.accept(Notification.ANY);
    }

    private static void close(AutoCloseable subscription) {
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
