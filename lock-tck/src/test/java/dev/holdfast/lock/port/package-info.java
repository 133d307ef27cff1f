/** Where the servers of tests listen. */
@NullMarked
package dev.holdfast.lock.port;

import org.jspecify.annotations.NullMarked;
