package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The ids with which this process stands in a queue, or may do so, going by the commands that it has sent. Thread-safe. */
final class OwnWaiters {

    /** A waiter that has not asked for this long has lost its place, however late its last request was executed. */
    private static final long FORGET_AFTER_NANOS =
            QueueTimes.WAITER_TTL.multipliedBy(4).toNanos();

    private static final int FEW = 1_000;

    private final Map<AcquisitionId, Waiter> waiters = new ConcurrentHashMap<>();
    private final AtomicInteger sweepAt = new AtomicInteger(FEW);

    private record Waiter(LockName name, long askedAt) {}

    /** Notes commands before they are sent: the turn of a waiter may come before the reply that it is queued. */
    void ask(List<LockCommand> commands) {
        for (LockCommand command : commands) {
            if (command instanceof LockCommand.Acquire acquire && acquire.queue()) {
                waiters.put(acquire.id(), new Waiter(acquire.name(), System.nanoTime()));
            }
        }
        if (waiters.size() > sweepAt.get()) {
            forgetOld();
        }
    }

    /** Notes the replies to these commands: an id that was granted, refused for good or withdrawn waits no longer. */
    void answer(List<LockCommand> commands, List<LockReply> replies) {
        for (int at = 0; at < commands.size(); at++) {
            LockReply reply = replies.get(at);
            if (reply instanceof LockReply.Granted
                    || reply instanceof LockReply.Gone
                    || reply instanceof LockReply.Released) {
                waiters.remove(commands.get(at).id());
            }
        }
    }

    /** The locks that callers of this process wait for. */
    List<LockName> names() {
        forgetOld();
        return waiters.values().stream().map(Waiter::name).distinct().toList();
    }

    private void forgetOld() {
        long now = System.nanoTime();
        waiters.values().removeIf(waiter -> now - waiter.askedAt() > FORGET_AFTER_NANOS);
        sweepAt.set(2 * waiters.size() + FEW);
    }
}
