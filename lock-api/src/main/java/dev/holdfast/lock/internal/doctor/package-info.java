/**
 * The diagnosis of a configuration: its settings, a smoke test on the store, and the findings of the store itself.
 */
@NullMarked
package dev.holdfast.lock.internal.doctor;

import org.jspecify.annotations.NullMarked;
