package dev.holdfast.lock.simulation;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The reference store on virtual time; while it is down, nothing reaches it. */
class SimulatedStore {

    private static final Duration SOON = Duration.ofMillis(20);
    /** It is measured in real time, on which a run must not depend. */
    private static final Duration NO_TIMEOUT = Duration.ofDays(1);

    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final MemorySpace space;
    private final LockStore store;
    private final Set<Capability> abilities;
    private final int handoff;
    private int outages;
    private boolean down;
    private int subscriptions;
    private final VirtualTime time;
    /** When the lease of each id expires by the clock of this store, unless it is renewed or released. */
    private final Map<AcquisitionId, Instant> ends = new HashMap<>();
    /** Receives the name and the store token of each lease that expires. */
    private BiConsumer<LockName, Long> whenOver = (name, token) -> {};

    /**
     * A store that is up.
     *
     * @param abilities the capabilities that it offers
     * @param handoff the maximum of local hand-offs for all of its engines
     */
    SimulatedStore(VirtualTime time, Set<Capability> abilities, int handoff) {
        this.time = time;
        this.abilities = abilities;
        this.handoff = handoff;
        space = new MemorySpace(this::now);
        store = space.open();
    }

    private Instant now() {
        return BEGINNING.plusNanos(time.now());
    }

    /** Sets the listener for leases that expire. */
    void whenOver(BiConsumer<LockName, Long> listener) {
        whenOver = listener;
    }

    Set<Capability> abilities() {
        return abilities;
    }

    int handoff() {
        return handoff;
    }

    AutoCloseable subscribe(Consumer<Notification> listener) {
        AutoCloseable subscription = store.subscribe(listener);
        subscriptions++;
        return () -> {
            subscriptions--;
            subscription.close();
        };
    }

    int subscriptions() {
        return subscriptions;
    }

    /** The number of names with any state. */
    int namesInUse() {
        return space.namesInUse();
    }

    void goDown() {
        outages += down ? 0 : 1;
        down = true;
    }

    void comeUp() {
        down = false;
    }

    /** The number of the current outage; zero while the store is up. */
    int outage() {
        return down ? outages : 0;
    }

    boolean isDown() {
        return down;
    }

    LockReply carryOut(LockCommand command) {
        LockReply reply = store.execute(List.of(command), NO_TIMEOUT).get(0);
        if (reply instanceof LockReply.Granted granted) {
            lasts(command, granted);
        }
        boolean retriesTooLate = reply instanceof LockReply.Queued && !abilities.contains(Capability.NOTIFICATIONS);
        return retriesTooLate ? new LockReply.Queued(SOON) : reply; // without notifications, a waiter has to retry soon
    }

    private void lasts(LockCommand command, LockReply.Granted granted) {
        Instant end = now().plus(granted.remaining());
        ends.put(command.id(), end);
        time.after(granted.remaining().toNanos(), () -> {
            if (end.equals(ends.get(command.id()))) { // not renewed meanwhile
                whenOver.accept(command.name(), granted.token());
            }
        });
    }
}
