package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.server.OnServerOfItsOwn;
import dev.holdfast.lock.spi.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Each test has a store on a server of its own. */
abstract class OnStoreOfItsOwn extends OnServerOfItsOwn {

    LockStore store;

    @BeforeEach
    void open() {
        store = Opened.store(server.uri());
    }

    @AfterEach
    void close() {
        store.close();
    }
}
