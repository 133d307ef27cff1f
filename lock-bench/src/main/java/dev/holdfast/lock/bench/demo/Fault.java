package dev.holdfast.lock.bench.demo;

/**
 * What was done to the servers.
 *
 * @param letter what it is called in the chart
 * @param what in words
 * @param at when
 */
record Fault(char letter, String what, long at) {}
