package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The knowledge of a lock by which the callers of a {@link HistoryRun} choose their next command. Thread-safe. */
final class KnownLock {

    /** The number of latest commands that may be repeated. */
    private static final int REPEATED = 12;

    final LockName name;
    private final List<Share> shares;
    private final Map<AcquisitionId, Share> shareOf = new ConcurrentHashMap<>();
    private final Map<Integer, Sender> senders = new ConcurrentHashMap<>();
    private final Map<HistoryPlan.End, Long> ends = new ConcurrentHashMap<>();
    private volatile long lastToken;
    private volatile long grantedAt;

    /** The ids that one client, or all of them, sends. */
    private static final class Sender {
        private final Map<Integer, AcquisitionId> ids = new ConcurrentHashMap<>();
        private final List<LockCommand> sent = new CopyOnWriteArrayList<>();
        private volatile AcquisitionId latest = Kit.id();
    }

    /** @param shares those of the ids, by number, again and again */
    KnownLock(LockName name, List<Share> shares) {
        this.name = name;
        this.shares = shares;
    }

    private Sender sender(int number) {
        return senders.computeIfAbsent(number, any -> new Sender());
    }

    /** The id of this number in the plan. */
    AcquisitionId id(int number, int sender) {
        return number == HistoryPlan.HOLDER
                ? sender(sender).latest
                : sender(sender).ids.computeIfAbsent(number, this::newId);
    }

    private AcquisitionId newId(int number) {
        AcquisitionId id = Kit.id();
        shareOf.put(id, shares.get(number % shares.size()));
        return id;
    }

    /** The share of an id, in all of its commands. */
    Share share(AcquisitionId id) {
        return shareOf.getOrDefault(id, shares.get(0));
    }

    void sends(LockCommand command, int sender) {
        sender(sender).sent.add(command);
    }

    /** One of the latest commands. */
    LockCommand sentBefore(int number, int sender) {
        List<LockCommand> sent = sender(sender).sent;
        int size = sent.size();
        return size == 0
                ? new LockCommand.Renew(name, sender(sender).latest, Kit.SHORT, share(sender(sender).latest))
                : sent.get(Math.max(0, size - 1 - number % REPEATED));
    }

    /** The latest known end, on the clock of {@link System#nanoTime}; null if none is known. */
    @Nullable
    Long end(HistoryPlan.End end) {
        return ends.get(end);
    }

    long lastToken() {
        return lastToken;
    }

    void replied(LockCommand command, LockReply reply, int sender) {
        long now = System.nanoTime();
        if (reply instanceof LockReply.Granted granted) {
            if (granted.token() != lastToken) {
                grantedAt = now;
            }
            sender(sender).latest = command.id();
            lastToken = granted.token();
            ends(HistoryPlan.End.LEASE, now, granted.remaining());
            ends(HistoryPlan.End.CLAIM_WINDOW, now, granted.remaining().plus(QueueTimes.CLAIM_WINDOW));
        } else if (reply instanceof LockReply.Queued) {
            ends(HistoryPlan.End.PLACE, now, QueueTimes.WAITER_TTL);
        } else if (reply instanceof LockReply.Released released && command instanceof LockCommand.Release release) {
            ends(HistoryPlan.End.TOMBSTONE, now, release.tombstone());
            if (released.wasHeld()) {
                ends(HistoryPlan.End.MINIMUM_HOLD, grantedAt, release.minimumHold());
                ends(HistoryPlan.End.CLAIM_WINDOW, now, QueueTimes.CLAIM_WINDOW);
            }
        }
    }

    private void ends(HistoryPlan.End end, long from, Duration after) {
        if (!after.isZero()) {
            ends.put(end, from + after.toNanos());
        }
    }
}
