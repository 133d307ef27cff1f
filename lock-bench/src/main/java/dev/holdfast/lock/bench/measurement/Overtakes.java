package dev.holdfast.lock.bench.measurement;

import java.util.List;

/**
 * The number of acquisitions that were granted after a later one. The order of two nearly simultaneous ones is unknown: between
 * reading the clock and asking for the lock, a thread may wait for a processor. Therefore only those with a head start count.
 *
 * @param count the acquisitions that had the head start over one that was granted before them
 * @param largestNanos the largest head start that was lost, counted or not
 */
public record Overtakes(long count, long largestNanos) {

    /**
     * One acquisition, in nanoseconds of {@link System#nanoTime()}, which all processes of a machine share.
     *
     * @param asked before the call that acquires
     * @param granted after it
     * @param released after the release
     */
    public record Visit(long asked, long granted, long released) {}

    public static Overtakes of(List<Visit> visits, long headStartNanos) {
        long count = 0;
        long largest = 0;
        for (Visit visit : visits) {
            long lost = visits.stream()
                    .filter(other -> other.granted() < visit.granted())
                    .mapToLong(other -> other.asked() - visit.asked())
                    .max()
                    .orElse(0);
            largest = Math.max(largest, lost);
            count += lost >= headStartNanos ? 1 : 0;
        }
        return new Overtakes(count, largest);
    }
}
