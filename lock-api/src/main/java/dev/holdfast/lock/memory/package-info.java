/**
 * A store in memory, for tests in one process: {@code lock.provider=memory}, or a {@link
 * dev.holdfast.lock.memory.MemorySpace} with a clock that the test controls. It keeps every promise of the contract between
 * the threads of one process, and is the contract's reference implementation. It neither excludes other processes nor survives a
 * restart, so it is not for production.
 */
@NullMarked
package dev.holdfast.lock.memory;

import org.jspecify.annotations.NullMarked;
