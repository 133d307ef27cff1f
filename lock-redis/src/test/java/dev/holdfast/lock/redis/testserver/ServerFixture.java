package dev.holdfast.lock.redis.testserver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import redis.clients.jedis.RedisClient;

/** Gives each test its own server, and a client for administration. */
public abstract class ServerFixture {

    protected RedisServer server;
    protected RedisClient admin;

    /** For subclasses. */
    protected ServerFixture() {}

    @BeforeEach
    final void startServer() {
        server = RedisServer.own();
        admin = server.client();
    }

    @AfterEach
    final void stopServer() {
        admin.close();
        server.close();
    }
}
