/**
 * One process's part in the failover protocol: the authority state it knows, the leases it holds, the routes of its commands, and
 * the calls it requires of the stores. No I/O, threads or clocks belong here: the driver tells a
 * {@link dev.holdfast.lock.composite.protocol.Member} what happened and when, and carries out its
 * {@linkplain dev.holdfast.lock.composite.protocol.StoreTask tasks}, so that a simulation runs the same code. {@code PROTOCOL.md}
 * has the rules and explains why they are safe.
 */
@NullMarked
package dev.holdfast.lock.composite.protocol;

import org.jspecify.annotations.NullMarked;
