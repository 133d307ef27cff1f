package dev.holdfast.lock.testing;

/**
 * A lock held from one instant to another, as its holder believed, on the clock that all processes of a machine share.
 *
 * @param holder the process or thread that held it
 * @param name of the lock
 * @param token the fencing token
 * @param from when the holder knew of the grant, as {@link System#nanoTime()}
 * @param until the last instant at which it was known to be held; less than {@code from} if the holder never saw it held
 */
public record Hold(String holder, String name, long token, long from, long until) {}
