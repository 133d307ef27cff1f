package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Records which leases were unconfirmed, and which were lost; a listener is notified in the order of the events. */
final class LossRecorder implements LockListener {

    private final Set<Long> unconfirmed = ConcurrentHashMap.newKeySet();
    private final Set<Long> lost = ConcurrentHashMap.newKeySet();

    @Override
    public void unconfirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {
        unconfirmed.add(fencingToken);
    }

    @Override
    public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
        lost.add(fencingToken);
    }

    /** Whether this lease, which is lost, was unconfirmed before. */
    boolean wasUnconfirmed(Kit kit, Lease lease) {
        kit.await("the listener is notified of the loss", () -> lost.contains(lease.fencingToken()));
        return unconfirmed.contains(lease.fencingToken());
    }
}
