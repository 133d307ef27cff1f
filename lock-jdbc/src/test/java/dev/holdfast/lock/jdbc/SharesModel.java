package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One lock with shares as plain lists, by the javadoc of {@link LockCommand}: what a store has to reply at each instant of a stepped
 * clock. It keeps every id that has ended, for good.
 */
final class SharesModel {

    private final Duration refresh;
    private final List<Out> out = new ArrayList<>();
    private final List<Waiting> queue = new ArrayList<>();
    /** The ids that must not be granted again, and since when. */
    private final Map<AcquisitionId, Instant> ended = new HashMap<>();

    /** @param refresh within which a waiter's request is not noted after the last one */
    SharesModel(Duration refresh) {
        this.refresh = refresh;
    }

    /** A share that is out. */
    private static final class Out {
        private final AcquisitionId id;
        private final Share share;
        private final Instant since;
        private Instant until;
        private boolean isHeld = true;

        private Out(AcquisitionId id, Share share, Instant since, Instant until) {
            this.id = id;
            this.share = share;
            this.since = since;
            this.until = until;
        }
    }

    private static final class Waiting {
        private final AcquisitionId id;
        private final Share share;
        private Instant seen;
        private Instant due;
        private boolean wasDue;

        private Waiting(AcquisitionId id, Share share, Instant seen) {
            this.id = id;
            this.share = share;
            this.seen = seen;
        }
    }

    /** The reply, with 1 as every token; a busy reply has no time. */
    LockReply execute(LockCommand command, Instant now) {
        expire(now);
        queue.forEach(each -> each.wasDue = each.due != null);
        LockReply reply;
        if (command instanceof LockCommand.Acquire acquire) {
            reply = acquire(acquire, now);
        } else if (command instanceof LockCommand.Renew renew) {
            reply = renew(renew, now);
        } else {
            reply = release((LockCommand.Release) command, now);
        }
        openWindows(now);
        return reply;
    }

    private void expire(Instant now) {
        for (Out each : out.stream()
                .filter(each -> !each.until.isAfter(now))
                .sorted(Comparator.comparing(each -> each.until))
                .toList()) {
            out.remove(each);
            ended.putIfAbsent(each.id, each.until);
            openWindows(each.until);
        }
        openWindows(now);
    }

    /** Drops the waiters that are dead at an instant, and notes those that have become due. */
    private void openWindows(Instant at) {
        queue.removeIf(each -> !each.seen.plus(QueueTimes.WAITER_TTL).isAfter(at));
        List<Share> shares = shares();
        for (Waiting each : queue) {
            shares.add(each.share);
            if (!Share.areCompatible(shares)) {
                return;
            } else if (each.due == null) {
                each.due = at;
            }
        }
    }

    private List<Share> shares() {
        return new ArrayList<>(out.stream().map(each -> each.share).toList());
    }

    private LockReply acquire(LockCommand.Acquire command, Instant now) {
        for (Out each : out) {
            if (each.id.equals(command.id()) && each.isHeld) {
                return new LockReply.Granted(1, Duration.between(now, each.until));
            }
        }
        if (ended.containsKey(command.id())) {
            return new LockReply.Gone();
        }
        queue.removeIf(each -> each.due != null
                && !each.id.equals(command.id())
                && !each.due.plus(QueueTimes.CLAIM_WINDOW).isAfter(now));
        openWindows(now);

        List<Share> before = shares();
        Waiting own = null;
        for (Waiting each : queue) {
            if (each.id.equals(command.id())) {
                own = each;
                break;
            }
            before.add(each.share);
        }
        List<Waiting> waiters = own == null ? queue : queue.subList(0, queue.indexOf(own));
        before.add(command.share());
        if (Share.areCompatible(before)) {
            queue.remove(own);
            out.add(new Out(command.id(), command.share(), now, now.plus(command.lease())));
            return new LockReply.Granted(1, command.lease());
        } else if (!command.queue()) {
            return new LockReply.Busy(Duration.ZERO);
        }
        Duration retry = retryAfter(command.share(), waiters, now);
        if (own == null) {
            queue.add(new Waiting(command.id(), command.share(), now));
        } else if (now.isAfter(own.seen.plus(refresh)) || refresh.isZero()) {
            own.seen = now;
        }
        return new LockReply.Queued(retry);
    }

    private Duration retryAfter(Share share, List<Waiting> before, Instant now) {
        Instant free = queue.isEmpty() || queue.get(0).due == null ? now : queue.get(0).due;
        List<Out> left = new ArrayList<>(out);
        left.sort(Comparator.comparing(each -> each.until));
        while (!isBeside(share, left)) {
            free = left.remove(0).until;
        }
        boolean isBehindShares = before.stream().anyMatch(each -> !each.share.isExclusive());
        return QueueTimes.retryAfter(Duration.between(now, free), isBehindShares ? 1 : before.size());
    }

    private static boolean isBeside(Share share, List<Out> others) {
        List<Share> all =
                new ArrayList<>(others.stream().map(each -> each.share).toList());
        all.add(share);
        return Share.areCompatible(all);
    }

    private LockReply renew(LockCommand.Renew command, Instant now) {
        for (Out each : out) {
            if (each.id.equals(command.id()) && each.isHeld) {
                Instant until = now.plus(command.lease());
                each.until = until.isAfter(each.until) ? until : each.until;
                return new LockReply.Granted(1, Duration.between(now, each.until));
            }
        }
        return new LockReply.Gone();
    }

    private LockReply release(LockCommand.Release command, Instant now) {
        boolean wasHeld = false;
        for (Out each : List.copyOf(out)) {
            if (each.id.equals(command.id()) && each.isHeld) {
                wasHeld = true;
                each.isHeld = false;
                each.until = each.since.plus(command.minimumHold());
                if (!each.until.isAfter(now)) {
                    out.remove(each);
                }
            }
        }
        queue.removeIf(each -> each.id.equals(command.id()));
        if (wasHeld || !command.tombstone().isZero()) {
            ended.put(command.id(), now);
        }
        return new LockReply.Released(wasHeld);
    }

    /** Whether a store may have forgotten the id, which then is a new one: at the earliest one lease after its end. */
    boolean mayBeForgotten(AcquisitionId id, Duration leastLease, Instant now) {
        Instant end = ended.get(id);
        return end != null && !end.plus(leastLease).isAfter(now);
    }

    boolean isOut(AcquisitionId id) {
        return out.stream().anyMatch(each -> each.id.equals(id) && each.isHeld);
    }

    /** Whether a minimum hold keeps the share of this id. */
    boolean isKept(AcquisitionId id) {
        return out.stream().anyMatch(each -> each.id.equals(id) && !each.isHeld);
    }

    /** Those that became due by the last command, and not by the end of a lease. */
    List<AcquisitionId> madeDue() {
        return queue.stream()
                .filter(each -> each.due != null && !each.wasDue)
                .map(each -> each.id)
                .toList();
    }

    /** The holders, whether a share is kept without a holder, and the waiters, as a listing shows them. */
    String listing() {
        return out.stream()
                        .filter(each -> each.isHeld)
                        .map(each -> each.id + " with " + each.share + " until " + each.until)
                        .toList()
                + ", kept until "
                + out.stream()
                        .filter(each -> !each.isHeld)
                        .map(each -> each.until)
                        .max(Comparator.naturalOrder())
                + ", waiting for "
                + queue.stream().map(each -> each.share).toList();
    }
}
