package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.Opened;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A store that stands alone grants nothing in a namespace that is a composite's. */
class AloneBesideReignTest {

    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.own();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void itIsNotOpenedThereAndSaysWhatToDo() {
        Crown.of(server.uri(), 2).close();

        assertThatThrownBy(() -> Opened.store(server.uri()).close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.provider=composite")
                .hasMessageContaining("lock.namespace")
                .hasMessageContaining("DEL " + Crown.MARK);

        Opened.store(new Namespace("another"), server.uri()).close();
        try (RedisClient admin = server.client()) {
            admin.del(Crown.MARK);
        }
        Opened.store(server.uri()).close();
    }

    @Test
    void oneThatWasOpenedBeforeGrantsNoMoreAndLetsGoOfWhatItHad() {
        try (LockStore alone = Opened.store(server.uri());
                LockStore another = Opened.store(new Namespace("another"), server.uri())) {
            AcquisitionId id = Steps.id();
            Steps.answered(alone, Steps.acquire("job", id), Answer.Granted.class);

            Crown.of(server.uri(), 2).close();

            for (String name : new String[] {"job", "free"}) {
                assertThat(Steps.answered(alone, Steps.acquire(name, Steps.id()), Answer.Unavailable.class)
                                .why())
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("lock.provider=composite");
            }
            Steps.answered(alone, Steps.renew("job", id), Answer.Granted.class);
            assertThat(Steps.ask(alone, Steps.release("job", id))).isEqualTo(new Answer.Released(true));
            Steps.answered(another, Steps.acquire("job", Steps.id()), Answer.Granted.class);
        }
    }
}
