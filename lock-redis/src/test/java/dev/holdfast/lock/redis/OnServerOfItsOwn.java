package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import redis.clients.jedis.RedisClient;

/** Each test has a server of its own, a store on it, and a client that is nobody's. */
abstract class OnServerOfItsOwn {

    RedisServer server;
    RedisClient admin;
    LockStore store;

    @BeforeEach
    void open() {
        server = RedisServer.own();
        admin = server.client();
        store = Opened.store(server.uri());
    }

    @AfterEach
    void close() {
        store.close();
        admin.close();
        server.close();
    }
}
