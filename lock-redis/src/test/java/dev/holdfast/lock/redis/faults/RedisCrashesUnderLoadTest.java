package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that writes each change to disk before it answers crashes repeatedly, and freezes for longer than a lease, while two
 * applications contend for locks. If this fails, look for a grant that was answered before it was on disk, or for an answer during
 * an outage.
 */
@Tag("first-build")
class RedisCrashesUnderLoadTest {

    private static final int CRASHES = 9 * Integer.getInteger("lock.test.scale", 1);

    @Test
    void locks_underLoadWithCrashes_excludeAndTokensRise() throws Exception {
        Random random = new Random(1);
        History history = new History();
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            try (FaultyProxy network = new FaultyProxy(server.address());
                    Locks one = open(server, network);
                    Locks other = open(server, network);
                    Contenders contenders = new Contenders(history, List.of("one", "two", "three"), 1);
                    LongHolders holders = new LongHolders(history, "held on")) {
                contenders.begin("one", one, 4);
                contenders.begin("other", other, 4);
                holders.begin("one", one);
                holders.begin("other", other);
                contenders.awaitProgress("at first");
                for (int crash = 0; crash < CRASHES; crash++) {
                    if (crash % 3 == 0) {
                        network.hold(Direction.TO_CLIENT);
                        assertThat(network.awaitHeld(Direction.TO_CLIENT, Await.HANG))
                                .as("an answer is kept back")
                                .isTrue();
                    } else {
                        LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(50)));
                    }
                    server.kill();
                    network.cut();
                    server.start();
                    network.pass();
                    contenders.awaitProgress("after crash " + crash);
                }

                int before = freezeUnderAHolder(server, holders);
                try {
                    Await.until("a holder lost its lease to the frozen server", () -> holders.lost() > before);
                    assertThatThrownBy(() -> one.named("asked in the frost").tryAcquire())
                            .isInstanceOf(LockUnavailableException.class);
                } finally {
                    server.thaw();
                }
                contenders.awaitProgress("after the frost");
                contenders.end();
                holders.end();
                history.verify(9 * CRASHES);
            }
        }
    }

    /** Returns how many leases were lost before that one is. */
    private static int freezeUnderAHolder(RedisServer server, LongHolders holders) {
        while (true) {
            Await.until("the lock is held", holders::isHeld);
            server.freeze();
            int before = holders.lost();
            if (holders.isHeld()) {
                return before;
            }
            server.thaw();
        }
    }

    private static Locks open(RedisServer server, FaultyProxy network) {
        return Application.open(ProxiedRedis.uri(server, network), "lock.lease", "2s", "lock.call-timeout", "600ms");
    }
}
