package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A server that refuses commands of an open store is not a server that does not answer. */
class RefusalsTest {

    @Test
    void execute_whenTheServerRefuses_saysWhyAndWhatToDo() {
        try (RedisServer server = RedisServer.own(PermissionsTest.ENOUGH);
                RedisClient operator = server.client();
                LockStore store = TestStores.store(server.uri().replace("://", "://app:secret@"))) {
            operator.configSet("maxmemory", "1");
            refuses(store, server, "its memory is full", "raise maxmemory", "OOM ");
            operator.configSet("maxmemory", "0");

            operator.configSet("min-replicas-to-write", "1");
            refuses(store, server, "fewer replicas follow it than min-replicas-to-write", "NOREPLICAS ");
            operator.configSet("min-replicas-to-write", "0");

            Administrator.order(operator, "ACL", "SETUSER", "app", "-eval", "-evalsha");
            refuses(store, server, "the user lacks a right: ACL SETUSER with +evalsha", "NOPERM ", "'evalsha'");
            Administrator.order(operator, "ACL", "SETUSER", "app", "+eval", "+evalsha");

            Administrator.order(operator, "REPLICAOF", "127.0.0.1", "1");
            refuses(store, server, "it is a replica", "redis-sentinel://", "READONLY ");
        }
    }

    private static void refuses(LockStore store, RedisServer server, String... words) {
        assertThat(store.execute(List.of(TestCommands.acquire("job", TestCommands.id())), TestCommands.CALL))
                .singleElement(type(LockReply.Unavailable.class))
                .extracting(reply -> reply.cause().getMessage(), STRING)
                .contains("127.0.0.1:" + server.port() + " refused: ")
                .contains(words)
                .doesNotContain("answer");
    }
}
