/** Locks for the tests of an application: busy, lost or unreachable on demand. */
@NullMarked
package dev.holdfast.lock.junit;

import org.jspecify.annotations.NullMarked;
