/** The bench: Holdfast beside whatever a user would pick instead, measured in one run on real servers. */
@NullMarked
package dev.holdfast.lock.bench;

import org.jspecify.annotations.NullMarked;
