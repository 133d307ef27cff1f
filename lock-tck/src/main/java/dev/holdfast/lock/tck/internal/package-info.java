/** What the kit shares with the tests of Holdfast's modules, and does not export: no rules, and nothing of a store. */
@NullMarked
package dev.holdfast.lock.tck.internal;

import org.jspecify.annotations.NullMarked;
