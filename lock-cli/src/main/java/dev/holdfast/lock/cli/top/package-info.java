/**
 * Locks as they change: what listings taken one after another show, its orders, and its page. Reads no store and knows no
 * terminal.
 */
@NullMarked
package dev.holdfast.lock.cli.top;

import org.jspecify.annotations.NullMarked;
