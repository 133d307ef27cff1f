package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.RedisWay;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Three applications, each of which reaches the server by a network of its own that delays, loses, holds back and cuts.
 * If this fails, look for an answer that is taken for another step's, or for a step that is repeated under a new id.
 */
class FaultyNetworkTest {

    private static final int FAULTS = 40 * Integer.getInteger("lock.test.scale", 1);
    private static final List<String> NAMES = List.of("one", "two", "three", "four", "held on");

    @Test
    void nobodyEverHoldsWhatSomebodyElseHoldsAndEverybodyIsServed() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed of the network " + seed);
        Random random = new Random(seed);
        List<FaultyProxy> networks = new ArrayList<>();
        try (RedisServer server = RedisServer.own();
                Load load = new Load(NAMES, true)) {
            for (int application = 0; application < 3; application++) {
                FaultyProxy network = new FaultyProxy(server.address());
                networks.add(network);
                load.begin(
                        Application.open(
                                RedisWay.uri(server, network), "lock.lease", "1500ms", "lock.call-timeout", "200ms"),
                        4);
            }
            load.witness().awaitProgress(load.names(), "at first");
            for (int fault = 0; fault < FAULTS; fault++) {
                int before = load.grants();
                FaultyProxy network = networks.get(random.nextInt(networks.size()));
                spoil(network, random);
                pause(random, 150);
                if (random.nextInt(4) > 0) {
                    network.cut(); // else who listens learns only after seconds that nobody speaks any more
                }
                network.pass();
                pause(random, 100);
                Awaiting.until("all goes on", () -> load.grants() >= before + 50);
            }
            networks.forEach(FaultyProxy::pass);
            load.witness().awaitProgress(load.names(), "when the network is whole again");
            load.end();
        } finally {
            networks.forEach(FaultyProxy::close);
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
