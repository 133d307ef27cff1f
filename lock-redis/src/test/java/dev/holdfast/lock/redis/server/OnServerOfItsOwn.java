package dev.holdfast.lock.redis.server;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import redis.clients.jedis.RedisClient;

/** Each test has a server of its own, and a client that is no store's. */
public abstract class OnServerOfItsOwn {

    protected RedisServer server;
    protected RedisClient admin;

    /** For subclasses. */
    protected OnServerOfItsOwn() {}

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
