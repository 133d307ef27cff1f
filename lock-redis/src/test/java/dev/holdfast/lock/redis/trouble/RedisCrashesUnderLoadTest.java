package dev.holdfast.lock.redis.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.RedisWay;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * A server that writes all it says to disk crashes fifteen times, and freezes for longer than a lease, while two applications
 * take locks from each other. If this fails, look for a grant that was answered before it was on the disk, or an outage that
 * was answered at all.
 */
class RedisCrashesUnderLoadTest {

    private static final int CRASHES = 15 * Integer.getInteger("lock.test.scale", 1);
    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void nobodyEverHoldsWhatSomebodyElseHolds() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed of the crashes " + seed);
        Random random = new Random(seed);
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            try (FaultyProxy network = new FaultyProxy(server.address());
                    Load load = new Load(List.of("one", "two", "three", "held on"), true)) {
                String uri = RedisWay.uri(server, network);
                Locks one = open(uri);
                load.begin(one, 4);
                load.begin(open(uri), 4);
                load.witness().awaitProgress(load.names(), "at first");
                for (int crash = 0; crash < CRASHES; crash++) {
                    if (crash % 3 == 0) {
                        network.hold(Direction.TO_CLIENT);
                        assertThat(network.awaitHeld(Direction.TO_CLIENT, Duration.ofMinutes(1)))
                                .as("an answer is kept back")
                                .isTrue();
                    } else {
                        LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(50)));
                    }
                    server.kill();
                    network.cut();
                    server.start();
                    network.pass();
                    load.witness().awaitProgress(load.names(), "after crash " + crash);
                }

                int before = freezeUnderAHolder(server, load);
                try {
                    Awaiting.until("a holder lost its lease to the frozen server", () -> load.lost() > before);
                    assertThatThrownBy(() -> one.named("asked in the frost").tryAcquire())
                            .isInstanceOf(LockUnavailableException.class);
                } finally {
                    server.thaw();
                }
                load.witness().awaitProgress(load.names(), "after the frost");
                load.end();
            }
        }
    }

    /** Returns how many leases were lost before that one is. */
    private static int freezeUnderAHolder(RedisServer server, Load load) {
        while (true) {
            Awaiting.until("somebody holds on", load::isHeldOn);
            server.freeze();
            int before = load.lost();
            if (load.isHeldOn()) {
                return before;
            }
            server.thaw();
        }
    }

    private static Locks open(String uri) {
        return Application.open(uri, "lock.lease", LEASE.toMillis() + "ms", "lock.call-timeout", "600ms");
    }
}
