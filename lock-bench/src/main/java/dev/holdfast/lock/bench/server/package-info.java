/** Servers on free ports of the loopback address, proxies to them, and child JVMs. The measurements on them live elsewhere. */
@NullMarked
package dev.holdfast.lock.bench.server;

import org.jspecify.annotations.NullMarked;
