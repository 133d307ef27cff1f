package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.H2Server;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A server of H2, far away. */
@Tag("long")
class H2SlowNetworkTest extends RowStoreSlowNetwork {

    private static H2Server server;

    @BeforeAll
    static void start() {
        server = H2Server.own();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    RowDatabase database() {
        return server;
    }

    /** It prepares, describes, executes and closes each. */
    @Override
    protected int tripsPerStatement() {
        return 5;
    }
}
