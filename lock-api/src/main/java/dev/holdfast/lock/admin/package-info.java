/** The operator's API: effective settings, held locks, failover status, diagnosis. */
@NullMarked
package dev.holdfast.lock.admin;

import org.jspecify.annotations.NullMarked;
