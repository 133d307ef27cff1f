/** Whether a machine goes on while something is to be shown on it. */
@NullMarked
package dev.holdfast.lock.pulse;

import org.jspecify.annotations.NullMarked;
