/** How text is set for a terminal: nothing of it is obeyed there, and columns stand below each other. */
@NullMarked
package dev.holdfast.lock.cli.text;

import org.jspecify.annotations.NullMarked;
