package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A foreign value under one of our keys is no holder, is not removed, and its lock is not granted. */
class ForeignValuesTest {

    private static final String NAME = "taken";
    private static final String PREFIX = "holdfast:{default:0}:";

    private static RedisServer server;

    private RedisClient client;
    private LockStore store;

    @BeforeAll
    static void start() {
        server = RedisServer.own();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        client = server.client();
        store = Application.store(client);
    }

    @AfterEach
    void close() {
        client.flushAll();
        store.close();
        client.close();
    }

    @Test
    void foreignText_underLockKey_makesLockUnavailableAndStays() {
        client.set(Application.key(NAME), "a foreign value");

        expectUnavailable();

        assertThat(client.get(Application.key(NAME))).isEqualTo("a foreign value");
    }

    @Test
    void foreignHash_underLockKey_makesLockUnavailableAndStays() {
        client.hset(Application.key(NAME), "foreign", "value");

        expectUnavailable();

        assertThat(client.hget(Application.key(NAME), "foreign")).isEqualTo("value");
    }

    @Test
    void foreignQueue_makesLockUnavailableForWaiters() {
        for (String kind : List.of("queue:", "seen:", "owners:")) {
            AcquisitionId holder = id();
            answered(store, acquire(kind, holder), LockReply.Granted.class);
            client.set(PREFIX + kind + kind, "a foreign value");

            answered(store, queue(kind, id()), LockReply.Unavailable.class);

            answered(store, renew(kind, holder), LockReply.Granted.class);
            assertThat(answered(store, release(kind, holder), LockReply.Released.class)
                            .wasHeld())
                    .isTrue();
        }
    }

    @Test
    void foreignReservation_makesLockUnavailable() {
        client.set(PREFIX + "reservation:" + NAME, "a foreign value");

        expectUnavailable();
    }

    @Test
    void foreignTokenCounter_makesLocksUnavailable() {
        client.set(PREFIX + "token", "a foreign value");

        expectUnavailable();
    }

    @Test
    void foreignValue_inBatch_failsItsOwnLockOnly() {
        client.set(Application.key(NAME), "a foreign value");
        AcquisitionId before = id();
        AcquisitionId after = id();

        List<LockReply> replies = store.execute(
                List.of(acquire("before", before), acquire(NAME, id()), acquire("after", after)), TestCommands.CALL);

        assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(replies.get(2)).isInstanceOf(LockReply.Granted.class);
    }

    private void expectUnavailable() {
        for (LockCommand each : List.of(acquire(NAME, id()), queue(NAME, id()))) {
            answered(store, each, LockReply.Unavailable.class);
        }
    }
}
