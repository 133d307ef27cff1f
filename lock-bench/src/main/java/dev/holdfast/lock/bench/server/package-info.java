/** Servers on free ports of the loopback address, proxies to them, and child JVMs. What is measured on them lives elsewhere. */
@NullMarked
package dev.holdfast.lock.bench.server;

import org.jspecify.annotations.NullMarked;
