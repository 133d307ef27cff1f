package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A standalone store grants nothing in a namespace of a composite. */
class StandaloneBesideTermTest {

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
    void openStandalone_inNamespaceOfComposite_isRefusedWithAdvice() {
        PrimaryTermFixture.of(server.uri(), 2).close();

        assertThatThrownBy(() -> TestStores.store(server.uri()).close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.provider=composite")
                .hasMessageContaining("lock.namespace")
                .hasMessageContaining("DEL " + PrimaryTermFixture.MARK);

        TestStores.store(new Namespace("another"), server.uri()).close();
        try (RedisClient admin = server.client()) {
            admin.del(PrimaryTermFixture.MARK);
        }
        TestStores.store(server.uri()).close();
    }

    @Test
    void standaloneStore_afterActivation_grantsNothingAndReleasesItsLocks() {
        try (LockStore alone = TestStores.store(server.uri());
                LockStore another = TestStores.store(new Namespace("another"), server.uri())) {
            AcquisitionId id = TestCommands.id();
            TestCommands.answered(alone, TestCommands.acquire("job", id), LockReply.Granted.class);

            PrimaryTermFixture.of(server.uri(), 2).close();

            for (String name : new String[] {"job", "free"}) {
                assertThat(TestCommands.answered(
                                        alone,
                                        TestCommands.acquire(name, TestCommands.id()),
                                        LockReply.Unavailable.class)
                                .cause())
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("lock.provider=composite");
            }
            assertThat(alone.execute(
                            List.of(
                                    TestCommands.acquire("free", TestCommands.id()),
                                    TestCommands.acquire("job", TestCommands.id()),
                                    TestCommands.acquire("also free", TestCommands.id())),
                            TestCommands.CALL))
                    .allSatisfy(reply -> assertThat(((LockReply.Unavailable) reply).cause())
                            .hasMessageContaining("lock.provider=composite"));
            TestCommands.answered(alone, TestCommands.renew("job", id), LockReply.Granted.class);
            assertThat(TestCommands.ask(alone, TestCommands.release("job", id)))
                    .isEqualTo(new LockReply.Released(true));
            TestCommands.answered(another, TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class);
        }
    }
}
