/**
 * The engine under a deterministic simulation: virtual time, clocks that drift, processes that stop and die, and a
 * network that loses, delays, repeats and reorders messages. The engine classes are those of production; only clock, timers
 * and calls are simulated. The seed of a failing run repeats it.
 */
package dev.holdfast.lock.simulation;
