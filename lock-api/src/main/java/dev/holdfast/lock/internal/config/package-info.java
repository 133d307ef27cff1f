/** Where settings come from, in which order they override each other, and the messages about a wrong one. */
@NullMarked
package dev.holdfast.lock.internal.config;

import org.jspecify.annotations.NullMarked;
