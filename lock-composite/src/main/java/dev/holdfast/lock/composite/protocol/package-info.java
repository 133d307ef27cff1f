/**
 * The failover protocol, as one process takes part in it: the authority state it knows, the leases it holds, where its commands go,
 * and what it asks of the stores. No I/O, threads or clocks belong here: the driver tells a
 * {@link dev.holdfast.lock.composite.protocol.Member} what happened and when, and carries out its
 * {@linkplain dev.holdfast.lock.composite.protocol.StoreTask tasks}, so that a simulation runs the very same code.
 * {@code PROTOCOL.md} has the rules and why they are safe.
 */
@NullMarked
package dev.holdfast.lock.composite.protocol;

import org.jspecify.annotations.NullMarked;
