/**
 * The objects that an application holds: locks, leases, groups, futures and adapters, built on the engine. No queueing, renewal
 * or retry logic lives here.
 */
@NullMarked
package dev.holdfast.lock.internal.client;

import org.jspecify.annotations.NullMarked;
