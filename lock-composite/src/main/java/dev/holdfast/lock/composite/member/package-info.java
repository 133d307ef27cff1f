/**
 * Drives the {@linkplain dev.holdfast.lock.composite.protocol protocol}: its threads and locks, the routing of commands to a store,
 * the connection to the primary, and notifications. The decisions are the protocol's: none is made here.
 */
@NullMarked
package dev.holdfast.lock.composite.member;

import org.jspecify.annotations.NullMarked;
