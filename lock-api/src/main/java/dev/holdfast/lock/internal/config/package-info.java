/** Where settings come from, in which order they override each other, and what is said about a wrong one. */
@NullMarked
package dev.holdfast.lock.internal.config;

import org.jspecify.annotations.NullMarked;
