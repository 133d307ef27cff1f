package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;

/** Where a command goes. */
sealed interface Route {

    /** To no store: this is the reply. */
    record Immediate(LockReply reply) implements Route {}

    /**
     * To the store that grants, or that confirms while grants drain.
     *
     * @param command the command as it is sent
     * @param wasHeldHere whether it releases a lease that was valid here, though the store may not know it
     */
    record Send(LockCommand command, boolean wasHeldHere) implements Route {}
}
