package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A composite can do what both of its stores can do. */
@Tag("second-build")
class CompositeCapabilitiesTest {

    private static final Duration TIMEOUT = TestMember.TIMEOUT;

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.sharing(RedisServer.own());
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    private static LockStore open(String primary, String fallback) {
        Properties properties = servers.configuration("composite", "30s");
        properties.setProperty("lock.composite.primary", primary);
        properties.setProperty("lock.composite.fallback", fallback);
        properties.setProperty("lock.lease", "1h");
        return new CompositeLockProvider().open(new Namespace(primary + "-" + fallback), Servers.config(properties));
    }

    private static LockCommand acquiring(Share share) {
        return new LockCommand.Acquire(
                new LockName("job"), new AcquisitionId(1, share.limit()), Duration.ofHours(1), false, 0, "test", share);
    }

    @Test
    void composite_ofStoresWithShares_hasShares() {
        try (LockStore store = open("redis", "jdbc")) {
            assertThat(store.capabilities()).containsExactlyInAnyOrder(Capability.values());
            assertThat(store.execute(List.of(acquiring(new Share(1, 2)), acquiring(new Share(1, 3))), TIMEOUT))
                    .hasOnlyElementsOfType(LockReply.Granted.class);
        }
    }

    @Test
    void composite_ofAPrimaryWithoutShares_hasExclusiveLocksOnly() {
        assertExclusiveOnly("without-shares", "jdbc");
    }

    @Test
    void composite_ofAFallbackWithoutShares_hasExclusiveLocksOnly() {
        assertExclusiveOnly("redis", "without-shares");
    }

    private static void assertExclusiveOnly(String primary, String fallback) {
        try (LockStore store = open(primary, fallback)) {
            assertThat(store.capabilities())
                    .containsExactlyInAnyOrder(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.LIST);
            assertThatThrownBy(() -> store.execute(List.of(acquiring(Share.shared())), TIMEOUT))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("does not have the capability SHARES");
            assertThat(store.execute(List.of(acquiring(Share.EXCLUSIVE)), TIMEOUT))
                    .hasOnlyElementsOfType(LockReply.Granted.class);
        }
    }
}
