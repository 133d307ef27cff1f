package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Each step and its outcome, one line each, at DEBUG. */
final class StepLog {

    private static final Logger LOG = LoggerFactory.getLogger("dev.holdfast.lock.jdbc.steps");

    private StepLog() {}

    static void answered(List<Step> steps, List<Answer> answers) {
        if (LOG.isDebugEnabled()) {
            for (int at = 0; at < steps.size(); at++) {
                Step step = steps.get(at);
                LOG.debug("{} {} {}: {}", verb(step), step.name(), step.id(), outcome(answers.get(at)));
            }
        }
    }

    static void failed(List<Step> steps, Exception failure) {
        if (LOG.isDebugEnabled()) {
            for (Step step : steps) {
                LOG.debug("{} {} {}: no answer: {}", verb(step), step.name(), step.id(), failure.toString());
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
        } else if (answer instanceof Answer.Released released) {
            return released.wasHeld() ? "released" : "released, was not held";
        } else if (answer instanceof Answer.Gone) {
            return "gone";
        }
        return answer.toString();
    }
}
