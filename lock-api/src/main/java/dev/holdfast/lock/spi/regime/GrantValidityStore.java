package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.function.Consumer;

/** A store whose grants depend on more than their own time. */
public interface GrantValidityStore extends LockStore {

    /** What they depend on. */
    GrantValidity grantValidity();

    /**
     * Who grants, for people.
     *
     * @throws LockUnavailableException if nobody could tell in time
     */
    RegimeStatus status(Duration timeout);

    /**
     * Tells of changes, on whatever thread is at hand, from now on.
     *
     * @param sooner called when some grants count for less long than was said before
     * @param events called with each event
     */
    void watch(Runnable sooner, Consumer<RegimeEvent> events);
}
