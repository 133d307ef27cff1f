package dev.holdfast.lock.redis.client;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;

/** The connections to all sentinels have died, as behind a router that forgot them without a word; new ones work. */
class SilentSentinelsTest {

    private final List<FaultyProxy> proxies = new ArrayList<>();

    @Test
    void failover_withDeadSentinelConnections_isNoticed() {
        try (Sentinels sentinels = Sentinels.start()) {
            expectGrantsAfterAFailover(sentinels);
        } finally {
            proxies.forEach(FaultyProxy::close);
        }
    }

    private void expectGrantsAfterAFailover(Sentinels sentinels) {
        sentinels.sentinels().forEach(each -> proxies.add(new FaultyProxy(each.address())));
        try (LockStore store = TestStores.store(uri(sentinels))) {
            answered(store, acquire("before", id()), LockReply.Granted.class);
            Await.until(
                    "each connection is in use",
                    () -> sentinels.sentinels().stream().allMatch(SilentSentinelsTest::isTalkedTo));

            proxies.forEach(FaultyProxy::halfOpen);
            proxies.forEach(FaultyProxy::pass);
            RedisServer master = sentinels.failOver();

            LockCommand.Acquire command = acquire("after", id());
            Await.until("it is granted by the new master", () -> isGranted(store, command));
            RedisServer first = sentinels.sentinels().get(0);
            JedisClientConfig config = DefaultJedisClientConfig.builder()
                    .from(first.clientConfig())
                    .resp2()
                    .build();
            try (Connection sentinel = new Connection(new HostAndPort("127.0.0.1", first.port()), config)) {
                assertThat(SentinelReply.ask(sentinel, "main", refusal -> {})).hasValueSatisfying(named -> {
                    assertThat(named.master().getPort()).isEqualTo(master.port());
                    assertThat(named.epoch()).as("of a failover").isPositive();
                });
            }
        }
    }

    private String uri(Sentinels sentinels) {
        String hosts = proxies.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","));
        return sentinels.uri().replaceFirst("//[^/]*/", "//" + hosts + "/");
    }

    /** Whether a client has been connected for a second; connections of other sentinels have names. */
    private static boolean isTalkedTo(RedisServer sentinel) {
        try (RedisClient admin = sentinel.client()) {
            return Administrator.clients(admin)
                    .filter(client -> client.contains(" name= ") && !client.contains(" cmd=client"))
                    .anyMatch(client -> !client.contains(" age=0 "));
        }
    }

    private static boolean isGranted(LockStore store, LockCommand command) {
        try {
            return store.execute(List.of(command), Duration.ofSeconds(5)).get(0) instanceof LockReply.Granted;
        } catch (LockUnavailableException e) {
            return false;
        }
    }
}
