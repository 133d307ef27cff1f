package dev.holdfast.lock.tck;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which leases had a renewal that got no answer, and which were lost; a listener is told in the order in which that happens. */
final class Doubts implements LockListener {

    private final Set<Long> doubted = ConcurrentHashMap.newKeySet();
    private final Set<Long> lost = ConcurrentHashMap.newKeySet();

    @Override
    public void unconfirmed(String name, long fencingToken, Duration remaining) {
        doubted.add(fencingToken);
    }

    @Override
    public void lost(String name, long fencingToken, LockLostException loss) {
        lost.add(fencingToken);
    }

    /** Whether a renewal of this lease, which is lost, got no answer while it was held. */
    boolean cameBeforeTheLoss(Kit kit, Lease lease) {
        kit.await("a listener is told of the loss", () -> lost.contains(lease.fencingToken()));
        return doubted.contains(lease.fencingToken());
    }
}
