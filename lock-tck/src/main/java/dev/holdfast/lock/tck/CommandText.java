package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.CauseText;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Commands and replies as text, with ids numbered in order of appearance. Not thread-safe. */
final class CommandText {

    private final Map<AcquisitionId, String> names = new HashMap<>();

    /** The command, without the name of the lock. */
    String asked(LockCommand command) {
        String id =
                named(command.id()) + (command.share().isExclusive() ? "" : ", a share of " + command.share() + ",");
        if (command instanceof LockCommand.Acquire acquire) {
            return "acquire by " + id + " for " + text(acquire.lease()) + (acquire.queue() ? ", queueing" : "")
                    + (acquire.tokenFloor() == 0 ? "" : ", token above " + acquire.tokenFloor());
        } else if (command instanceof LockCommand.Renew renew) {
            return "renew by " + id + " for " + text(renew.lease());
        }
        LockCommand.Release release = (LockCommand.Release) command;
        return "release by " + id
                + (release.minimumHold().isZero() ? "" : ", minimum hold " + text(release.minimumHold()))
                + (release.tombstone().isZero() ? "" : ", tombstone " + text(release.tombstone()));
    }

    String told(LockReply reply) {
        if (reply instanceof LockReply.Granted granted) {
            return "Granted, token " + granted.token() + ", for " + text(granted.remaining());
        } else if (reply instanceof LockReply.Queued queued) {
            return "Queued, retry after " + text(queued.retryAfter());
        } else if (reply instanceof LockReply.Busy busy) {
            return "Busy, retry after " + text(busy.retryAfter());
        } else if (reply instanceof LockReply.Released released) {
            return "Released, wasHeld = " + released.wasHeld();
        } else if (reply instanceof LockReply.Unavailable unavailable) {
            return "no reply: " + CauseText.of(unavailable.cause());
        }
        return "Gone";
    }

    /** The number of the id, and its beginning, by which a listing names waiters. */
    String named(AcquisitionId id) {
        return names.computeIfAbsent(id, any -> "#" + (names.size() + 1) + " (" + StoreClient.owner(id) + ")");
    }

    private static String text(Duration duration) {
        return millis(duration.toNanos());
    }

    static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
