package dev.holdfast.lock.redis.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Always;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.RedisClient;

/**
 * A server that is up and refuses to do what it is asked is unavailable, and says why: nobody is told "busy", nobody loses a
 * lease before its time, nobody waits for ever.
 */
@Execution(ExecutionMode.CONCURRENT)
class RefusalsTest {

    /** Renewed every three seconds, of which six may fail. */
    private static final String LEASE = "9s";

    private static final Duration STANDSTILL = Duration.ofSeconds(1);

    static Stream<Refusal> allKinds() {
        return Refusal.all();
    }

    @ParameterizedTest
    @MethodSource("allKinds")
    void whatIsRefusedIsUnavailableAndGoesOnWhenTheRefusalIsOver(Refusal refusal) throws Exception {
        Pulse.steadily(STANDSTILL, pulse -> expectUnavailableAndGoingOn(refusal, pulse));
    }

    private static void expectUnavailableAndGoingOn(Refusal refusal, Pulse pulse) throws Exception {
        try (RedisServer server = RedisServer.own(refusal.directives().toArray(String[]::new));
                RedisClient admin = server.client();
                Locks mine = open(server, refusal);
                Locks others = open(server, refusal)) {
            pulse.feel(new ServerHeart(server));
            Lease held = mine.named("held").acquire();
            Lease given = mine.named("given back meanwhile").acquire();
            CompletableFuture<Lease> waiter = others.named("held").acquireAsync(Duration.ofMinutes(1));
            Awaiting.until("somebody waits", () -> Application.waiting(admin, "held") == 1);

            CompletableFuture<Boolean> givenBack;
            refusal.beginning().carryOut(admin);
            try {
                for (Locks each : List.of(mine, others)) {
                    Application.awaitReason(each, refusal.word());
                }
                Duration before = held.remaining();
                if (refusal.sparesHolders()) {
                    Awaiting.until(
                            "a renewal is carried out", () -> held.remaining().compareTo(before) > 0);
                    assertThat(held.state()).isEqualTo(LeaseState.HELD);
                    assertThat(given.release()).isTrue();
                    givenBack = CompletableFuture.completedFuture(true);
                } else {
                    Awaiting.until("a renewal is in doubt", () -> held.state() == LeaseState.UNCONFIRMED);
                    givenBack = CompletableFuture.supplyAsync(given::release, task -> new Thread(task).start());
                }
                assertThat(held.isHeld()).isTrue();
                assertThat(waiter).isNotDone();
            } finally {
                refusal.end().carryOut(admin);
            }

            assertThat(givenBack.get(1, TimeUnit.MINUTES)).isTrue();
            Awaiting.until("a renewal is confirmed", () -> held.state() == LeaseState.HELD);
            assertThat(held.release()).isTrue();
            Lease next = waiter.get(1, TimeUnit.MINUTES);
            Always.holds(() -> assertThat(next.fencingToken()).isGreaterThan(held.fencingToken()));
            assertThat(next.release()).isTrue();
            for (Locks each : List.of(mine, others)) {
                for (String name : List.of("free", "given back meanwhile")) {
                    try (Lease again = each.named(name).acquire(Duration.ofMinutes(1))) {
                        assertThat(again.isHeld()).isTrue();
                    }
                }
            }
        }
    }

    private static Locks open(RedisServer server, Refusal refusal) {
        return Application.open(
                server.uri(),
                Stream.concat(refusal.settings().stream(), Stream.of("lock.lease", LEASE, "lock.call-timeout", "500ms"))
                        .toArray(String[]::new));
    }
}
