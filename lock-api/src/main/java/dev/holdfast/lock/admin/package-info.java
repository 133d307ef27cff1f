/** The operator's side: by which settings, who holds what, whether all is well. */
@NullMarked
package dev.holdfast.lock.admin;

import org.jspecify.annotations.NullMarked;
