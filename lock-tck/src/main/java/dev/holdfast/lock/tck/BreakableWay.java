package dev.holdfast.lock.tck;

import java.util.Properties;

/**
 * A second way to the store under test that can be broken without harm to the first: most often a proxy in between. Made
 * anew for each test that needs one.
 */
public interface BreakableWay extends AutoCloseable {

    /** As {@link LockStoreContract#configuration()}, but this way. */
    Properties configuration();

    /**
     * Ends every connection and refuses new ones, from now on.
     *
     * @throws org.opentest4j.TestAbortedException if that cannot be done to this store, with the reason
     */
    void cut();

    /**
     * Lets nothing through any more, in no direction, and ends no connection, from now on.
     *
     * @throws org.opentest4j.TestAbortedException if that cannot be done to this store, with the reason
     */
    void silence();

    /** Ends {@link #cut} or {@link #silence}. */
    void heal();

    @Override
    void close();
}
