package dev.holdfast.lock.bench.demo;

/**
 * How long somebody believed to hold a lock. Instants are of {@link System#nanoTime()}, which all processes of a machine share.
 *
 * @param side where
 * @param holder who
 * @param asked since when it waited
 * @param from when it was told that it holds the lock
 * @param to when it was told that it does so no more, or gave it back
 * @param token the fencing token
 * @param grantedBy which store granted it
 * @param isLost whether it was taken from the holder, and not given back
 */
record Holding(Side side, String holder, long asked, long from, long to, long token, String grantedBy, boolean isLost) {

    boolean covers(long instant) {
        return from <= instant && instant < to;
    }
}
