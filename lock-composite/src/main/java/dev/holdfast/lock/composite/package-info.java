/**
 * The provider {@code composite}: locks on a fast store that may lose data, under the authority of a database that does not. Here are
 * the provider and its store. The protocol is in {@link dev.holdfast.lock.composite.protocol}, its driver in
 * {@link dev.holdfast.lock.composite.member}; neither is exported.
 */
@NullMarked
package dev.holdfast.lock.composite;

import org.jspecify.annotations.NullMarked;
