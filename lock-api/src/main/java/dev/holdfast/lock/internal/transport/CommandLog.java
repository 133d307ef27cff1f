package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Clock;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each command with its answer and how long that took, one line each, at DEBUG. */
final class CommandLog {

    private static final Logger log = LoggerFactory.getLogger("dev.holdfast.lock.steps");

    private CommandLog() {}

    static void answered(List<Step> steps, List<Answer> answers, DualClockInstant sent, Clock clock) {
        if (log.isDebugEnabled()) {
            Duration took = sent.until(clock.now());
            for (int at = 0; at < steps.size(); at++) {
                Step step = steps.get(at);
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

    private static String verb(Step step) {
        if (step instanceof Step.Acquire) {
            return "acquire";
        }
        return step instanceof Step.Renew ? "renew" : "release";
    }

    private static String outcome(Answer answer) {
        if (answer instanceof Answer.Granted granted) {
            return "granted, token " + granted.token() + " for " + granted.remaining();
        } else if (answer instanceof Answer.Waiting waiting) {
            return "waiting, ask again in " + waiting.askAgain();
        } else if (answer instanceof Answer.Busy busy) {
            return "busy, ask again in " + busy.askAgain();
        } else if (answer instanceof Answer.Released released) {
            return released.wasHeld() ? "released" : "released, was not held";
        } else if (answer instanceof Answer.Unavailable unavailable) {
            return "no answer: " + unavailable.why();
        }
        return "gone";
    }
}
