package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Gives each test a store on its own server. */
abstract class StoreFixture extends ServerFixture {

    LockStore store;

    @BeforeEach
    void open() {
        store = TestStores.store(server.uri());
    }

    @AfterEach
    void close() {
        store.close();
    }
}
