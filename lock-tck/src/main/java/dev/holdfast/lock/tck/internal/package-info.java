/** Code that the kit shares with the tests of Holdfast's modules and does not export: no rules, and nothing about stores. */
@NullMarked
package dev.holdfast.lock.tck.internal;

import org.jspecify.annotations.NullMarked;
