package dev.holdfast.lock.redis.trouble;

import static dev.holdfast.lock.redis.trouble.Steps.acquire;
import static dev.holdfast.lock.redis.trouble.Steps.answered;
import static dev.holdfast.lock.redis.trouble.Steps.id;
import static dev.holdfast.lock.redis.trouble.Steps.queue;
import static dev.holdfast.lock.redis.trouble.Steps.release;
import static dev.holdfast.lock.redis.trouble.Steps.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** What somebody else wrote under one of our keys is neither a holder nor ours to remove, and its lock is not granted. */
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
    void aTextThatIsNoHolderMakesItsLockUnavailableAndStaysAsItIs() {
        client.set(Application.key(NAME), "somebody else's");

        expectUnavailable();

        assertThat(client.get(Application.key(NAME))).isEqualTo("somebody else's");
    }

    @Test
    void aValueOfAnotherTypeMakesItsLockUnavailableAndStaysAsItIs() {
        client.hset(Application.key(NAME), "somebody", "else's");

        expectUnavailable();

        assertThat(client.hget(Application.key(NAME), "somebody")).isEqualTo("else's");
    }

    @Test
    void aQueueThatIsNoneMakesItsLockUnavailableToWhoWaits() {
        for (String kind : List.of("queue:", "seen:", "owners:")) {
            AcquisitionId holder = id();
            answered(store, acquire(kind, holder), Answer.Granted.class);
            client.set(PREFIX + kind + kind, "somebody else's");

            answered(store, queue(kind, id()), Answer.Unavailable.class);

            answered(store, renew(kind, holder), Answer.Granted.class);
            assertThat(answered(store, release(kind, holder), Answer.Released.class)
                            .wasHeld())
                    .isTrue();
        }
    }

    @Test
    void aTurnThatIsNoneMakesItsLockUnavailable() {
        client.set(PREFIX + "turn:" + NAME, "somebody else's");

        expectUnavailable();
    }

    @Test
    void aCounterThatIsNoneMakesItsLocksUnavailableAndIsNotCountedFrom() {
        client.set(PREFIX + "token", "somebody else's");

        expectUnavailable();
    }

    @Test
    void oneLockIsUnavailableAndTheOthersOfItsBatchAreNot() {
        client.set(Application.key(NAME), "somebody else's");
        AcquisitionId before = id();
        AcquisitionId after = id();

        List<Answer> answers = store.apply(
                List.of(acquire("before", before), acquire(NAME, id()), acquire("after", after)), Steps.CALL);

        assertThat(answers.get(0)).isInstanceOf(Answer.Granted.class);
        assertThat(answers.get(1)).isInstanceOf(Answer.Unavailable.class);
        assertThat(answers.get(2)).isInstanceOf(Answer.Granted.class);
    }

    private void expectUnavailable() {
        for (Step each : List.of(acquire(NAME, id()), queue(NAME, id()))) {
            answered(store, each, Answer.Unavailable.class);
        }
    }
}
