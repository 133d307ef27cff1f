package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides the commands on a lock of which several holders may have a share, one after another, at one instant, in a transaction that
 * has locked the lock's row.
 *
 * @param now microseconds since 1970, by the database's clock, read after the row was locked
 */
record SharedExecutor(CommandExecutor grants, long now) {

    /** How long an id whose lease has ended is Gone: as long as the row of an unused lock stays. */
    private static final long ENDED = 60_000_000;

    LockReply execute(LockCommand command, LockState lock, SharedLock shared) {
        expire(lock, shared);
        shared.queue().openClaimWindows(shared.taken(), instant());
        shared.notePlaces();
        LockReply reply;
        if (command instanceof LockCommand.Acquire acquire) {
            reply = acquire(acquire, lock, shared);
        } else if (command instanceof LockCommand.Renew renew) {
            reply = renew(renew, shared);
        } else {
            reply = release((LockCommand.Release) command, lock, shared);
        }
        boolean isKept = reply.equals(new LockReply.Released(true)) && shared.share(command.id()) != null;
        List<AcquisitionId> notified = shared.queue().settle(reply, isKept, shared.taken(), instant());
        shared.notePlaces();
        LockRow row = shared.rowOf(lock.row(), now);
        if (!notified.isEmpty() && shared.queue().claimWindows().isEmpty()) {
            // Records that the first waiter has to ask when it will be due, which it is notified of by this.
            row = row.promoted(now, row.expiresAt());
        }
        if (!row.equals(lock.row())) {
            lock.change(row);
        }
        return reply;
    }

    private Instant instant() {
        return SharedLock.instant(now);
    }

    /** Ends the leases and minimum holds that are over, in the order of their ends. */
    private void expire(LockState lock, SharedLock shared) {
        List<ShareRow> ended = new ArrayList<>(shared.shares());
        ended.removeIf(each -> !each.isOver(now));
        ended.sort(Comparator.comparingLong(ShareRow::expiresAt));
        for (ShareRow each : ended) {
            shared.remove(each);
            lock.addTombstone(each.id(), now + ENDED); // a holder that died or stalled may still ask once more
            shared.queue().openClaimWindows(shared.taken(), SharedLock.instant(each.expiresAt()));
        }
    }

    private @Nullable ShareRow held(AcquisitionId id, SharedLock shared) {
        ShareRow share = shared.share(id);
        return share != null && share.isHeld() ? share : null;
    }

    private LockReply acquire(LockCommand.Acquire command, LockState lock, SharedLock shared) {
        AcquisitionId id = command.id();
        LockRow row = lock.row();
        ShareRow own = held(id, shared);
        if (own != null) {
            return new LockReply.Granted(own.token(), left(own.expiresAt()));
        } else if (row.hasId(id) || shared.share(id) != null || lock.hasTombstone(id, now)) {
            return new LockReply.Gone();
        } else if (!shared.queue().admit(id, command.share(), shared.taken(), instant())) {
            return refuse(command, shared);
        }
        long last = grants.lastToken(command, row);
        if (last >= LockReply.Granted.MAX_TOKEN) {
            return CommandExecutor.exhausted(last, command);
        }
        if (row.id() != null && row.state().equals(LockRow.HELD) && !row.isBusy(now)) {
            lock.addTombstone(row.id(), now + ENDED);
        }
        shared.queue().removeGranted(id);
        long lease = SqlValues.micros(command.lease());
        long token = grants.tokenAfter(last);
        String owner = SqlValues.text(command.owner());
        shared.put(new ShareRow(id, command.share(), token, owner, now, now + lease, true));
        lock.grant(new LockRow(token, id, owner, now, now + lease, LockRow.HELD, 0));
        return new LockReply.Granted(token, Duration.of(lease, ChronoUnit.MICROS));
    }

    private LockReply refuse(LockCommand.Acquire command, SharedLock shared) {
        Instant free = freeAt(command.share(), shared);
        if (!command.queue()) {
            return CommandExecutor.busy(free == null ? Duration.ofNanos(-1) : Duration.between(instant(), free));
        }
        shared.queue().join(command.id(), SqlValues.text(command.owner()), command.share(), instant());
        return new LockReply.Queued(shared.queue().retryAfter(command.id(), free, instant()));
    }

    /** When so many shares will have ended that the others leave room for this one; null if they do now. */
    private static @Nullable Instant freeAt(Share share, SharedLock shared) {
        List<ShareRow> left = new ArrayList<>(shared.shares());
        left.sort(Comparator.comparingLong(ShareRow::expiresAt));
        Instant free = null;
        while (!TakenPermits.of(left.stream().map(ShareRow::share).toList())
                .plus(share)
                .areCompatible()) {
            free = SharedLock.instant(left.remove(0).expiresAt());
        }
        return free;
    }

    private LockReply renew(LockCommand.Renew command, SharedLock shared) {
        ShareRow own = held(command.id(), shared);
        if (own == null) {
            return new LockReply.Gone();
        }
        long end = Math.max(own.expiresAt(), now + SqlValues.micros(command.lease()));
        shared.put(own.renewed(end));
        return new LockReply.Granted(own.token(), left(end));
    }

    private LockReply release(LockCommand.Release command, LockState lock, SharedLock shared) {
        ShareRow own = held(command.id(), shared);
        if (own != null) {
            long end = own.grantedAt() + SqlValues.micros(command.minimumHold());
            if (end > now) {
                shared.put(own.kept(end));
                lock.addTombstone(command.id(), end);
            } else {
                shared.remove(own);
            }
        }
        shared.queue().withdraw(command.id());
        if (!command.tombstone().isZero()) {
            lock.addTombstone(command.id(), now + SqlValues.micros(command.tombstone()));
        }
        return new LockReply.Released(own != null);
    }

    private Duration left(long end) {
        return Duration.of(end - now, ChronoUnit.MICROS);
    }
}
