package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.H2Server;
import dev.holdfast.lock.testing.StoppedClientContract;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Clients of a server of H2 that are stopped. */
class H2StoppedClientTest extends StoppedClientContract {

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
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(server.settings("lock.provider", "jdbc"));
        return settings;
    }
}
