/** Locks for the tests of an application, which are busy, lost or unreachable on demand. */
@NullMarked
package dev.holdfast.lock.junit;

import org.jspecify.annotations.NullMarked;
