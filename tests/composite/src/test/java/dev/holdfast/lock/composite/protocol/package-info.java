/** Tests of the protocol without stores, threads or clocks, and members that break its rules. */
package dev.holdfast.lock.composite.protocol;
