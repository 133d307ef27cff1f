package dev.holdfast.lock.bench.measure;

import java.util.List;

/**
 * Who was served later than somebody who had come after them. The order of two that came nearly at once is nobody's to know:
 * between the reading of the clock and the question for the lock a thread may have to wait for a processor, for long where a
 * thousand want one. So only those count that had a head start; the largest head start that was lost is told beside it.
 *
 * @param overtaken how many had the head start over somebody who was served before them
 * @param largestNanos the largest head start that was lost, counted or not
 */
record Overtakes(long overtaken, long largestNanos) {

    static Overtakes of(List<Visit> visits, long headStartNanos) {
        long overtaken = 0;
        long largest = 0;
        for (Visit visit : visits) {
            long lost = visits.stream()
                    .filter(other -> other.granted() < visit.granted())
                    .mapToLong(other -> other.began() - visit.began())
                    .max()
                    .orElse(0);
            largest = Math.max(largest, lost);
            overtaken += lost >= headStartNanos ? 1 : 0;
        }
        return new Overtakes(overtaken, largest);
    }
}
