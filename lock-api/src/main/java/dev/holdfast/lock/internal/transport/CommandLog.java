package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each command with its reply and its duration, one line each, at DEBUG. A grant is shown with the fencing token of its
 * first holder, as everywhere else, and not with the store's.
 */
final class CommandLog {

    private static final Logger log = LoggerFactory.getLogger("dev.holdfast.lock.commands");

    private CommandLog() {}

    static void answered(List<LockCommand> commands, List<LockReply> replies, DualClockInstant sent, Clock clock) {
        if (log.isDebugEnabled()) {
            Duration took = sent.until(clock.now());
            for (int at = 0; at < commands.size(); at++) {
                log.debug("{} ({} us)", text(commands.get(at), replies.get(at)), took.toNanos() / 1_000);
            }
        }
    }

    /** A command and the reply; null if the store, by mistake, gave none. */
    static String text(LockCommand command, @Nullable LockReply reply) {
        return verb(command) + " " + command.name()
                + (command.share().isExclusive() ? "" : ", a share of " + command.share() + ",")
                + " " + command.id() + ": "
                + (reply == null ? "nothing" : outcome(reply));
    }

    private static String verb(LockCommand command) {
        if (command instanceof LockCommand.Acquire) {
            return "acquire";
        }
        return command instanceof LockCommand.Renew ? "renew" : "release";
    }

    private static String outcome(LockReply reply) {
        if (reply instanceof LockReply.Granted granted) {
            return "granted, token " + LockReply.Granted.fencingToken(granted.token(), 0) + " for "
                    + granted.remaining();
        } else if (reply instanceof LockReply.Queued waiting) {
            return "waiting, ask again in " + waiting.retryAfter();
        } else if (reply instanceof LockReply.Busy busy) {
            return "busy, ask again in " + busy.retryAfter();
        } else if (reply instanceof LockReply.Released released) {
            return released.wasHeld() ? "released" : "released, was not held";
        } else if (reply instanceof LockReply.Unavailable unavailable) {
            return "no answer: " + unavailable.cause();
        }
        return "gone";
    }
}
