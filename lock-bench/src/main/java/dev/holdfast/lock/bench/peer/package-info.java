/** What is measured: Holdfast, and whatever a user would pick instead, each in the configuration that it recommends. */
@NullMarked
package dev.holdfast.lock.bench.peer;

import org.jspecify.annotations.NullMarked;
