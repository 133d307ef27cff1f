/** Who is told that it may be somebody's turn, and the thread that tells them. */
@NullMarked
package dev.holdfast.lock.jdbc.signal;

import org.jspecify.annotations.NullMarked;
