package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A store whose grants depend on more than their own time. */
public interface GrantValidityStore extends LockStore {

    /** The validity of its grants. */
    GrantValidity grantValidity();

    /** Why no store grants at the moment, for people, as far as this process knows; empty while one does. Calls no store. */
    Optional<String> whySuspended();

    /**
     * The failover status, for display: which store grants.
     *
     * @param timeout for the whole of it
     * @throws LockUnavailableException if no store answered in time
     */
    FailoverStatus status(Duration timeout);

    /**
     * Reports changes from now on, on any thread.
     *
     * @param sooner called when some grants end sooner than was reported before
     * @param events called with each event
     */
    void watch(Runnable sooner, Consumer<FailoverEvent> events);
}
