/** For stores whose signals come over one connection: who is told, and the thread that follows the connection. */
@NullMarked
package dev.holdfast.lock.spi.signal;

import org.jspecify.annotations.NullMarked;
