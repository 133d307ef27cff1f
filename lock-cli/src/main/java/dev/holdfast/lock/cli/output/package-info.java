/**
 * The output of {@code lock}: tables, JSON documents and messages, with the text of other parties escaped. Knows no commands,
 * options or exit statuses.
 */
@NullMarked
package dev.holdfast.lock.cli.output;

import org.jspecify.annotations.NullMarked;
