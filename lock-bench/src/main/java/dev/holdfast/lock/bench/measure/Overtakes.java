package dev.holdfast.lock.bench.measure;

import java.util.List;

/**
 * Who was served before somebody who had come earlier. The order of two that came nearly at once is nobody's to know: between the
 * reading of the clock and the question for the lock a thread may have to wait for a processor. So only those count that had a
 * head start; the largest head start that was lost is told beside it.
 *
 * @param count pairs of visits, of which one had the head start and was served later
 * @param largestNanos the largest head start that was lost, counted or not
 */
record Overtakes(long count, long largestNanos) {

    static Overtakes of(List<Visit> visits, long headStartNanos) {
        long count = 0;
        long largest = 0;
        for (Visit earlier : visits) {
            for (Visit later : visits) {
                long headStart = later.began() - earlier.began();
                if (headStart > 0 && later.granted() < earlier.granted()) {
                    largest = Math.max(largest, headStart);
                    count += headStart >= headStartNanos ? 1 : 0;
                }
            }
        }
        return new Overtakes(count, largest);
    }
}
