package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** A server that becomes a replica of another one, takes over its data, and becomes a master again. */
@Tag("first-build")
class FollowingServerTest {

    @Test
    void forgottenHolder_afterDemotion_losesItsLease() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisServer another = RedisServer.own();
                RedisClient admin = server.client();
                Locks mine = Application.open(server.uri());
                Locks others = Application.open(server.uri())) {
            Lease lease = mine.named("forgotten")
                    .withLease(Duration.ofSeconds(30)) // renewed every ten
                    .acquire();
            AtomicInteger losses = new AtomicInteger();
            lease.onLost(loss -> losses.incrementAndGet());
            CompletableFuture<Lease> waiter = others.named("forgotten").acquireAsync(Duration.ofMinutes(3));
            Await.until("one waits", () -> Application.waiting(admin, "forgotten") == 1);

            Administrator.order(admin, "REPLICAOF", "127.0.0.1", Integer.toString(another.port()));
            Await.until("it follows", () -> admin.info("replication").contains("master_link_status:up"));
            assertThatThrownBy(() -> admin.set("refused", "")).hasMessageContaining("READONLY");
            Administrator.order(admin, "REPLICAOF", "NO", "ONE");

            Lease next = Await.result(waiter);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            Await.until("the holder is told", () -> losses.get() == 1);
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            assertThat(lease.release()).isFalse();
            assertThat(next.release()).isTrue();
        }
    }

    /** Otherwise idle connections of a pool would go on reaching it after another server took over. */
    @Test
    void connections_toDemotedMaster_areClosed() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                RedisClient client = server.client();
                LockStore store = Application.store(client)) {
            answered(store, acquire("before", id()), LockReply.Granted.class);
            assertThat(client.getPool().getNumIdle()).isEqualTo(1);
            Object idle = client.executeCommand(new CommandArguments(Command.CLIENT).add("ID"));
            Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");

            answered(store, acquire("in between", id()), LockReply.Unavailable.class);

            Await.until(
                    "that connection is closed",
                    () -> Administrator.clients(admin).noneMatch(line -> line.startsWith("id=" + idle + " ")));
        }
    }
}
