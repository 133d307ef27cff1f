/**
 * The engine under a deterministic simulation: virtual time, clocks that drift, processes that stop and die, messages that
 * are lost, delayed, repeated and overtaken. The very classes that run in production; only clock, timers and calls are
 * simulated. A failing run is repeated by its seed.
 */
package dev.holdfast.lock.simulation;
