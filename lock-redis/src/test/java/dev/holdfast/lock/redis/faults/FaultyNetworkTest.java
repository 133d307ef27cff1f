package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three applications, each of which reaches the server through a proxy that delays, drops, holds back and cuts.
 * If this fails, look for an answer that is taken for another command's, or for a command that is repeated under a new id.
 */
@Tag("first-build")
@Order(1)
class FaultyNetworkTest {

    private static final int FAULTS = 20 * Integer.getInteger("lock.test.scale", 1);

    @Test
    void locks_underNetworkFaults_excludeAndRecover() throws Exception {
        Seeds.run(Seeds.any(), seed -> spoilNetworks(new Random(seed)));
    }

    private static void spoilNetworks(Random random) throws Exception {
        History history = new History();
        List<AutoCloseable> ends = new ArrayList<>();
        List<FaultyProxy> networks = new ArrayList<>();
        try (RedisServer server = RedisServer.own();
                Contenders contenders =
                        new Contenders(history, List.of("one", "two", "three", "four"), random.nextLong());
                LongHolders holders = new LongHolders(history, "held on")) {
            for (int application = 0; application < 3; application++) {
                FaultyProxy network = new FaultyProxy(server.address());
                networks.add(network);
                Locks locks = Application.open(
                        ProxiedRedis.uri(server, network), "lock.lease", "1500ms", "lock.call-timeout", "200ms");
                ends.add(0, network);
                ends.add(0, locks);
                contenders.begin("application " + application, locks, 4);
                holders.begin("application " + application, locks);
            }
            contenders.awaitProgress("at first");
            for (int fault = 0; fault < FAULTS; fault++) {
                int before = history.count();
                FaultyProxy network = networks.get(random.nextInt(networks.size()));
                spoil(network, random);
                pause(random, 150);
                if (random.nextInt(4) > 0) {
                    network.cut(); // else a listener learns only after seconds that nothing is said any more
                }
                network.pass();
                pause(random, 100);
                Await.until("all goes on", () -> history.count() >= before + 20);
            }
            contenders.awaitProgress("when the networks are whole again");
            contenders.end();
            holders.end();
            history.verify(20 * FAULTS);
        } finally {
            for (AutoCloseable each : ends) {
                each.close();
            }
        }
    }

    private static void spoil(FaultyProxy network, Random random) {
        Direction direction = random.nextBoolean() ? Direction.TO_SERVER : Direction.TO_CLIENT;
        switch (random.nextInt(5)) {
            case 0 -> network.delay(direction, Duration.ofMillis(1 + random.nextInt(60)));
            case 1 -> network.drop(direction);
            case 2 -> network.hold(direction);
            case 3 -> network.halfOpen();
            default -> network.cut();
        }
    }

    private static void pause(Random random, int mostMillis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(mostMillis)));
    }
}
