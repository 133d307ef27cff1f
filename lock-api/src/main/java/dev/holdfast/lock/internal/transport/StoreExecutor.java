package dev.holdfast.lock.internal.transport;

import java.util.List;

/** How steps get to the store and its answers back. */
@FunctionalInterface
public interface StoreExecutor {

    /** Which thread carries a step out. */
    enum Lane {
        /** The thread that asks, as it would wait for the answer anyway, unless the store is busy with others' steps. */
        CALLER,
        /** A thread for what is asked on behalf of those who wait, and not by their own: repetitions. */
        BACKGROUND,
        /** A thread for releases that nothing waits for, of which there may be thousands at a time. */
        ORPHANS,
        /** A thread for renewals alone, so that nothing holds them up. */
        RENEWAL
    }

    /** Has the steps carried out; they may travel together, also with others. */
    void call(Lane lane, List<StoreRequest> requests);
}
