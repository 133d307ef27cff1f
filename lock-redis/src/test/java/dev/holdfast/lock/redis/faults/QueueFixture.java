package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import redis.clients.jedis.RedisClient;

/** One lock and its queue, on a server of the class's own, of which a test may change each key by hand. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class QueueFixture {

    static final String NAME = "waited for";
    static final Duration MINUTE = Duration.ofMinutes(1);

    private static final String BUCKET = "holdfast:{test:0}:";
    static final String LOCK = BUCKET + "lock:" + NAME;
    static final String TURN = BUCKET + "reservation:" + NAME;
    static final String QUEUE = BUCKET + "queue:" + NAME;
    static final String SEEN = BUCKET + "seen:" + NAME;
    static final String OWNERS = BUCKET + "owners:" + NAME;

    final AcquisitionId holder = id();
    final AcquisitionId first = id();
    final AcquisitionId second = id();
    final AcquisitionId third = id();

    final RedisServer server = RedisServer.own();
    final RedisClient admin = server.client();
    LockStore store;

    @AfterAll
    void stop() {
        admin.close();
        server.close();
    }

    @BeforeEach
    void open() {
        admin.flushAll();
        store = TestStores.store(server.uri());
    }

    @AfterEach
    void close() {
        store.close();
    }

    final void heldAndWaitedForBy(AcquisitionId... waiters) {
        answered(store, acquire(NAME, holder), LockReply.Granted.class);
        List.of(waiters).forEach(each -> answered(store, queue(NAME, each), LockReply.Queued.class));
    }

    /** The server's clock. */
    final long now() {
        return (long) admin.eval("local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000)");
    }
}
