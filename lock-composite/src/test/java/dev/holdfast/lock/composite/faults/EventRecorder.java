package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the failover events of a process. */
final class EventRecorder implements LockListener {

    private final List<RegimeEvent> events = new CopyOnWriteArrayList<>();

    /** What these locks tell from now on. */
    static EventRecorder of(Locks locks) {
        EventRecorder events = new EventRecorder();
        locks.addListener(events);
        return events;
    }

    @Override
    public void regime(RegimeEvent event) {
        events.add(event);
    }

    /** Waits until it was told of this, and returns what it was told. */
    RegimeEvent await(RegimeEvent.Kind kind) {
        Await.until(kind + " is told of", () -> all().contains(kind));
        return events.stream().filter(each -> each.kind() == kind).findFirst().orElseThrow();
    }

    List<RegimeEvent.Kind> all() {
        return events.stream().map(RegimeEvent::kind).toList();
    }
}
