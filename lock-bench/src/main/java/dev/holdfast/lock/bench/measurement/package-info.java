/** Metrics, results and the arithmetic on them. Nothing here starts a server or a process. */
@NullMarked
package dev.holdfast.lock.bench.measurement;

import org.jspecify.annotations.NullMarked;
