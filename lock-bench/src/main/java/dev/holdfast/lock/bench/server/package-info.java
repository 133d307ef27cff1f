/** Real servers on free ports of the loopback, and wires between them that can be cut; gone with the JVM that started them. */
@NullMarked
package dev.holdfast.lock.bench.server;

import org.jspecify.annotations.NullMarked;
