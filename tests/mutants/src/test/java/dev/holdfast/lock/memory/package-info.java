/** Tests of the memory store by the kit, and of the kit by stores that are broken on purpose. */
@NullMarked
package dev.holdfast.lock.memory;

import org.jspecify.annotations.NullMarked;
