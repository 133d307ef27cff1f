/** What the tests of all modules share: waiting, recorded histories of holds, threads that contend for locks. */
@NullMarked
package dev.holdfast.lock.testing;

import org.jspecify.annotations.NullMarked;
