/** The reference store against the kit, and the kit against stores that are broken on purpose. */
@NullMarked
package dev.holdfast.lock.memory;

import org.jspecify.annotations.NullMarked;
