/** What is built on leases: the JDK's lock and the group, as an application meets them. */
@NullMarked
package dev.holdfast.lock.locks;

import org.jspecify.annotations.NullMarked;
