package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.BreakableWay;
import dev.holdfast.lock.tck.LockStoreContract;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** PostgreSQL passes the kit. */
class PostgresContractTest extends LockStoreContract {

    private static PostgresServer server;
    private static Postgres database;

    @BeforeAll
    static void start() {
        server = PostgresServer.own();
        database = Postgres.on(server);
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
    protected BreakableWay breakableWay() {
        PostgresProxy proxy = new PostgresProxy(server);
        return new BreakableWay() {
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
        String interval = by.toMillis() + " * interval '1 millisecond'";
        execute("UPDATE holdfast_lock SET token = token + " + by.toMillis() * 1_000 + ", since = since + " + interval
                + ", until = until + " + interval + ", promoted = promoted + " + interval + " WHERE namespace = '"
                + namespace
                + "'");
        execute("UPDATE holdfast_waiter SET seen = seen + " + interval + " WHERE namespace = '" + namespace + "'");
        execute("UPDATE holdfast_released SET until = until + " + interval + " WHERE namespace = '" + namespace + "'");
    }

    @Override
    protected void prune(Namespace namespace) {
        execute("SELECT holdfast_prune_v1(0, 100000)");
    }

    @Override
    protected long namesKept(Namespace namespace) {
        try {
            return Long.parseLong(
                    database.value("SELECT (SELECT count(*) FROM holdfast_lock WHERE namespace = '" + namespace
                            + "') + (SELECT count(*) FROM holdfast_waiter WHERE namespace = '" + namespace
                            + "') + (SELECT count(*) FROM holdfast_released WHERE namespace = '" + namespace + "')"));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void execute(String sql) {
        try {
            database.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
