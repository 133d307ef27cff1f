/** Holdfast as Spring Integration's lock registry. Nothing else of Holdfast needs Spring Integration. */
@NullMarked
package dev.holdfast.lock.spring.integration;

import org.jspecify.annotations.NullMarked;
