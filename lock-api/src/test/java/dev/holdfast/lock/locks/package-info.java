/** Tests of what is built on leases: the JDK lock and the lease group, as an application uses them. */
@NullMarked
package dev.holdfast.lock.locks;

import org.jspecify.annotations.NullMarked;
