package dev.holdfast.lock.composite.faults;

/**
 * What a process believed: that it held a lock from one instant to another, on the clock that all processes of a machine share.
 *
 * @param process whose belief it was
 * @param from when it was granted, as {@link System#nanoTime()}
 * @param until when it was true for certain for the last time
 */
record Hold(String process, String name, long token, long from, long until) {}
