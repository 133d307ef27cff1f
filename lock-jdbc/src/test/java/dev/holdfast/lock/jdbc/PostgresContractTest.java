package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.jdbc.server.Tables;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The conformance kit on PostgreSQL. */
@Tag("second-build")
@Order(1)
class PostgresContractTest extends LockStoreContract {

    private static PostgresServer server;
    private static Postgres database;

    @BeforeAll
    static void start() {
        server = PostgresServer.own();
        database = Postgres.withTables(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.putAll(database.settings("lock.provider", "jdbc"));
        return properties;
    }

    @Override
    protected BreakableConnection breakableConnection() {
        PostgresProxy proxy = new PostgresProxy(server);
        return new BreakableConnection() {
            @Override
            public Properties configuration() {
                Properties properties = PostgresContractTest.this.configuration();
                properties.setProperty("lock.jdbc.url", proxy.url(database.url()));
                return properties;
            }

            @Override
            public void cut() {
                proxy.refuse();
            }

            @Override
            public void silence() {
                proxy.silence();
            }

            @Override
            public void heal() {
                proxy.heal();
            }

            @Override
            public void close() {
                proxy.close();
            }
        };
    }

    @Override
    protected void restart() {
        if (!server.canFail()) {
            throw notPossible("this server is not ours to restart");
        }
        server.kill();
        server.start();
    }

    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        tables().stepClockBack(namespace, by);
    }

    @Override
    protected void prune(Namespace namespace) {
        tables().prune(namespace);
    }

    @Override
    protected long namesKept(Namespace namespace) {
        return tables().rows(namespace);
    }

    private static Tables tables() {
        return new Tables(server, database.url());
    }
}
