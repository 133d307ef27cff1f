package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.ask;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A former master that has become a replica without a connection to its master: its data are outdated. */
class DemotedMasterTest {

    @Test
    void demotedMaster_untilPromotedAgain_answersNothing() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                LockStore store = TestStores.store(server.uri())) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            AcquisitionId stranger = id();
            answered(store, acquire("held", holder), LockReply.Granted.class);
            answered(store, acquire("waited for", holder), LockReply.Granted.class);
            answered(store, queue("waited for", waiter), LockReply.Queued.class);
            answered(store, acquire("kept", holder), LockReply.Granted.class);
            answered(store, queue("kept", waiter), LockReply.Queued.class);
            answered(store, release("kept", holder), LockReply.Released.class);
            List<LockCommand> commands = List.of(
                    acquire("held", holder),
                    acquire("held", stranger),
                    queue("held", stranger),
                    renew("held", holder),
                    renew("held", stranger),
                    release("held", stranger),
                    release("held", holder),
                    acquire("waited for", stranger),
                    queue("waited for", waiter),
                    release("waited for", waiter),
                    acquire("kept", stranger),
                    queue("kept", waiter),
                    acquire("free", stranger),
                    renew("free", stranger),
                    release("free", stranger));

            Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");

            for (LockCommand command : commands) {
                assertThat(ask(store, command))
                        .as("the answer to " + command)
                        .isInstanceOfSatisfying(
                                LockReply.Unavailable.class,
                                reply -> assertThat(reply.cause()).hasMessageContaining("READONLY"));
            }

            Administrator.order(admin, "REPLICAOF", "NO", "ONE");

            answered(store, renew("held", holder), LockReply.Granted.class);
            assertThat(ask(store, release("held", holder))).isEqualTo(new LockReply.Released(true));
            assertThat(ask(store, release("waited for", waiter))).isEqualTo(new LockReply.Released(false));
            assertThat(ask(store, release("waited for", holder))).isEqualTo(new LockReply.Released(true));
            answered(store, queue("kept", waiter), LockReply.Granted.class);
        }
    }

    @Test
    void demotedMaster_eachReply_endsTheConnection() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                LockStore store = TestStores.store(server.uri())) {
            answered(store, acquire("held", id()), LockReply.Granted.class);
            Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            long before = Administrator.connectionsMade(admin);

            answered(store, acquire("free", id()), LockReply.Unavailable.class);
            assertThat(Administrator.connectionsMade(admin))
                    .as("asked by the one that idled")
                    .isEqualTo(before);
            answered(store, acquire("free", id()), LockReply.Unavailable.class);
            assertThat(Administrator.connectionsMade(admin)).isEqualTo(before + 1);

            Administrator.order(admin, "REPLICAOF", "NO", "ONE");
            answered(store, acquire("free", id()), LockReply.Granted.class);
            answered(store, acquire("another", id()), LockReply.Granted.class);
            assertThat(Administrator.connectionsMade(admin)).isEqualTo(before + 2);
        }
    }
}
