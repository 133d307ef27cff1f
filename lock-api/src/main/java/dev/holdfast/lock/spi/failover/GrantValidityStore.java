package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.function.Consumer;

/** A store whose grants depend on more than their own time. */
public interface GrantValidityStore extends LockStore {

    /** Until when its grants are valid. */
    GrantValidity grantValidity();

    /**
     * Which store grants, for display.
     *
     * @throws LockUnavailableException if no store answered in time
     */
    FailoverStatus status(Duration timeout);

    /**
     * Tells of changes from now on, on any thread.
     *
     * @param sooner called when some grants count for less long than was said before
     * @param events called with each event
     */
    void watch(Runnable sooner, Consumer<FailoverEvent> events);
}
