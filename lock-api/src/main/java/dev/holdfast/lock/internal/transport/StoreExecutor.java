package dev.holdfast.lock.internal.transport;

import java.util.List;

/** Carries commands to the store and its replies back. */
@FunctionalInterface
public interface StoreExecutor {

    /** The thread that sends a command. */
    enum Lane {
        /** The caller's thread, which would wait for the reply anyway, unless too many calls are under way. */
        CALLER,
        /** A thread for repetitions, which are sent on behalf of waiters, but not by their own threads. */
        BACKGROUND,
        /** A thread for releases that no caller waits for, of which there may be thousands at a time. */
        CLEANUP,
        /** A thread for renewals alone, so that no other command holds them up. */
        RENEWAL
    }

    /**
     * Sends the commands that are not {@linkplain StoreRequest#take taken}. They may travel together, also with others; those of one
     * caller, with one timeout, always do, in their order.
     */
    void execute(Lane lane, List<StoreRequest> requests);
}
