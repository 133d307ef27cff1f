package dev.holdfast.lock.tck;

import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
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
     * @throws org.opentest4j.TestAbortedException by {@link LockStoreContract#notPossible}, if that cannot be done to this
     *     store
     */
    void cut();

    /**
     * Lets nothing through any more, in no direction, and ends no connection, from now on.
     *
     * @throws org.opentest4j.TestAbortedException by {@link LockStoreContract#notPossible}, if that cannot be done to this
     *     store
     */
    void silence();

    /** Ends {@link #cut} or {@link #silence}. */
    void heal();

    @Override
    void close();

    /**
     * A way through a proxy.
     *
     * @param proxy leads to the store; closed with the way
     * @param configuration opens the store through the proxy's port
     */
    static BreakableWay through(FaultyProxy proxy, Properties configuration) {
        return new BreakableWay() {
            @Override
            public Properties configuration() {
                return configuration;
            }

            @Override
            public void cut() {
                proxy.cut();
            }

            @Override
            public void silence() {
                proxy.hold(Direction.TO_SERVER);
                proxy.hold(Direction.TO_CLIENT);
            }

            @Override
            public void heal() {
                proxy.pass();
            }

            @Override
            public void close() {
                proxy.close();
            }
        };
    }
}
