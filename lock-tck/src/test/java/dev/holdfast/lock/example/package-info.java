/** The example store, as a stranger would have it: a project of its own, built on the jars. */
@NullMarked
package dev.holdfast.lock.example;

import org.jspecify.annotations.NullMarked;
