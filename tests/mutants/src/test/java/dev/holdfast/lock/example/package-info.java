/** Tests of the example store as a project of its own that is built on the published jars. */
@NullMarked
package dev.holdfast.lock.example;

import org.jspecify.annotations.NullMarked;
