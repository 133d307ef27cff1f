/** A TCP proxy that fails on demand, for the kit and for tests of stores. It knows no protocol. */
@NullMarked
package dev.holdfast.lock.tck.faults;

import org.jspecify.annotations.NullMarked;
