/** Looking into locks and after their store. */
@NullMarked
package dev.holdfast.lock.internal.admin;

import org.jspecify.annotations.NullMarked;
