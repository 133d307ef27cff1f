package dev.holdfast.lock.tck;

import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.util.Properties;

/**
 * A second connection to the store under test, most often through a proxy, which the kit breaks without harm to the first.
 * Each test that needs one opens a new one.
 */
public interface BreakableConnection extends AutoCloseable {

    /** As {@link LockStoreContract#configuration()}, but for this connection. */
    Properties configuration();

    /**
     * Closes the connection, and refuses new ones from now on.
     *
     * @throws org.opentest4j.TestAbortedException by {@link LockStoreContract#notPossible}, if this store does not allow it
     */
    void cut();

    /**
     * Holds all data in both directions from now on, without closing the connection.
     *
     * @throws org.opentest4j.TestAbortedException by {@link LockStoreContract#notPossible}, if this store does not allow it
     */
    void silence();

    /** Ends {@link #cut} or {@link #silence}. */
    void heal();

    @Override
    void close();

    /**
     * A connection through a proxy.
     *
     * @param proxy leads to the store; closed with the connection
     * @param configuration opens the store through the proxy's port
     */
    static BreakableConnection through(FaultyProxy proxy, Properties configuration) {
        return new BreakableConnection() {
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
