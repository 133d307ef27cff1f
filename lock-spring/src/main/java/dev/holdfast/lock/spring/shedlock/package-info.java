/** Holdfast as ShedLock's lock provider. Nothing else of Holdfast needs ShedLock. */
@NullMarked
package dev.holdfast.lock.spring.shedlock;

import org.jspecify.annotations.NullMarked;
