package dev.holdfast.lock.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A store that carries out one step at a time: what to extend unless batches travel faster. A step that throws is answered
 * with {@link Answer.Unavailable}; the others are carried out all the same.
 */
public abstract class SimpleLockStore implements LockStore {

    /** For subclasses. */
    protected SimpleLockStore() {}

    /**
     * Carries out one {@link Step.Acquire}.
     *
     * @return {@link Answer.Granted}, {@link Answer.Waiting}, {@link Answer.Busy}, {@link Answer.Gone} or
     *     {@link Answer.Unavailable}
     * @throws Exception if the outcome is unknown
     */
    protected abstract Answer acquire(Step.Acquire step, Duration timeout) throws Exception;

    /**
     * Carries out one {@link Step.Renew}.
     *
     * @return {@link Answer.Granted}, {@link Answer.Gone} or {@link Answer.Unavailable}
     * @throws Exception if the outcome is unknown
     */
    protected abstract Answer renew(Step.Renew step, Duration timeout) throws Exception;

    /**
     * Carries out one {@link Step.Release}.
     *
     * @return {@link Answer.Released} or {@link Answer.Unavailable}
     * @throws Exception if the outcome is unknown
     */
    protected abstract Answer release(Step.Release step, Duration timeout) throws Exception;

    /**
     * One step after the other, each with half of the time that is left, so that one that hangs leaves some for the others;
     * the last one with all of it. Once the timeout is over, the rest is unavailable.
     */
    @Override
    public final List<Answer> apply(List<Step> steps, Duration timeout) {
        long start = System.nanoTime();
        List<Answer> answers = new ArrayList<>(steps.size());
        for (Step step : steps) {
            Duration left = timeout.minusNanos(System.nanoTime() - start);
            boolean isLast = answers.size() == steps.size() - 1;
            Duration share = isLast ? left : left.dividedBy(2);
            answers.add(share.isNegative() || share.isZero() ? late(timeout) : one(step, share));
        }
        return answers;
    }

    private Answer one(Step step, Duration timeout) {
        try {
            if (step instanceof Step.Acquire acquire) {
                return acquire(acquire, timeout);
            } else if (step instanceof Step.Renew renew) {
                return renew(renew, timeout);
            } else {
                return release((Step.Release) step, timeout);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer.Unavailable(e);
        } catch (Exception e) {
            return new Answer.Unavailable(e);
        }
    }

    private static Answer late(Duration timeout) {
        return new Answer.Unavailable(
                new IllegalStateException("the steps before this one used up the timeout of " + timeout));
    }
}
