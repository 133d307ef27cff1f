package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.BusyCarrierContract;
import dev.holdfast.lock.jdbc.server.H2Server;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Clients of a server of H2 whose only carrier is busy. */
@Tag("long")
class H2BusyCarrierTest extends BusyCarrierContract {

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
