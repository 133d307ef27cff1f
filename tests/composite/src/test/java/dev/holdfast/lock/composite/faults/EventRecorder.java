package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the failover events of a process. */
final class EventRecorder implements LockListener {

    private final List<FailoverEvent> events = new CopyOnWriteArrayList<>();

    /** What these locks tell from now on. */
    static EventRecorder of(Locks locks) {
        EventRecorder events = new EventRecorder();
        locks.addListener(events);
        return events;
    }

    @Override
    public void failover(FailoverEvent event) {
        events.add(event);
    }

    /** Waits until it was told of this, and returns what it was told. */
    FailoverEvent await(FailoverEvent.Kind kind) {
        Await.until(kind + " is told of", () -> all().contains(kind));
        return events.stream().filter(each -> each.kind() == kind).findFirst().orElseThrow();
    }

    List<FailoverEvent.Kind> all() {
        return events.stream().map(FailoverEvent::kind).toList();
    }
}
