package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.Clock;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each command with its answer and how long that took, one line each, at DEBUG. */
final class CommandLog {

    private static final Logger log = LoggerFactory.getLogger("dev.holdfast.lock.commands");

    private CommandLog() {}

    static void answered(List<LockCommand> steps, List<LockReply> answers, DualClockInstant sent, Clock clock) {
        if (log.isDebugEnabled()) {
            Duration took = sent.until(clock.now());
            for (int at = 0; at < steps.size(); at++) {
                LockCommand step = steps.get(at);
                log.debug(
                        "{} {} {}: {} ({} us)",
                        verb(step),
                        step.name(),
                        step.id(),
                        outcome(answers.get(at)),
                        took.toNanos() / 1_000);
            }
        }
    }

    private static String verb(LockCommand step) {
        if (step instanceof LockCommand.Acquire) {
            return "acquire";
        }
        return step instanceof LockCommand.Renew ? "renew" : "release";
    }

    private static String outcome(LockReply answer) {
        if (answer instanceof LockReply.Granted granted) {
            return "granted, token " + granted.token() + " for " + granted.remaining();
        } else if (answer instanceof LockReply.Queued waiting) {
            return "waiting, ask again in " + waiting.retryAfter();
        } else if (answer instanceof LockReply.Busy busy) {
            return "busy, ask again in " + busy.retryAfter();
        } else if (answer instanceof LockReply.Released released) {
            return released.wasHeld() ? "released" : "released, was not held";
        } else if (answer instanceof LockReply.Unavailable unavailable) {
            return "no answer: " + unavailable.cause();
        }
        return "gone";
    }
}
