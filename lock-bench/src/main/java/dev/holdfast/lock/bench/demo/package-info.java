/** {@code lock-bench/demo}: the same failover of Redis under plain Redis and under a composite, side by side. */
@NullMarked
package dev.holdfast.lock.bench.demo;

import org.jspecify.annotations.NullMarked;
