/**
 * What {@code lock} writes: tables, JSON documents and messages, with text of other parties escaped. Knows no commands, options
 * or exit statuses.
 */
@NullMarked
package dev.holdfast.lock.cli.output;

import org.jspecify.annotations.NullMarked;
