package dev.holdfast.lock.redis.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Always;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.RedisClient;

/** A server that keeps its connections and says nothing for longer than a lease. */
@Execution(ExecutionMode.CONCURRENT)
class FrozenServerTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** How a server comes to a standstill. */
    enum Standstill {
        /** By SIGSTOP. */
        FROZEN,
        /** By CLIENT PAUSE, which ends by itself. */
        PAUSED {
            @Override
            void begin(RedisServer server, RedisClient admin) {
                Administrator.order(admin, "CLIENT", "PAUSE", Long.toString(2 * LEASE.toMillis()));
            }

            @Override
            void end(RedisServer server) {}
        };

        void begin(RedisServer server, RedisClient admin) {
            server.freeze();
        }

        void end(RedisServer server) {
            server.thaw();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHolderIsToldOfItsLossMeanwhileAndTheNextIsServedAfterwards(Standstill standstill) throws Exception {
        Pulse.steadily(LEASE.dividedBy(4), pulse -> expectLossesAndTheNextToBeServed(standstill, pulse));
    }

    private static void expectLossesAndTheNextToBeServed(Standstill standstill, Pulse pulse) throws Exception {
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            try (RedisClient admin = server.client();
                    Locks mine = open(server);
                    Locks others = open(server)) {
                pulse.feel(new ServerHeart(server));
                AtomicInteger losses = new AtomicInteger();
                Lease renewed = mine.named("renewed").acquire();
                renewed.onLost(loss -> losses.incrementAndGet());
                Lease fixed = mine.named("fixed").withFixedLease(LEASE).acquire();
                fixed.onLost(loss -> losses.incrementAndGet());
                CompletableFuture<Lease> waiter = others.named("renewed").acquireAsync(MINUTE);
                Awaiting.until("somebody waits", () -> Application.waiting(admin, "renewed") == 1);

                pulse.leave();
                standstill.begin(server, admin);
                try {
                    assertThatThrownBy(() -> others.named("free").tryAcquire())
                            .isInstanceOf(LockUnavailableException.class);
                    Awaiting.until("both holders are told", () -> losses.get() == 2);
                    assertThat(renewed.state()).isEqualTo(LeaseState.LOST);
                    assertThat(fixed.state()).isEqualTo(LeaseState.LOST);
                    assertThat(renewed.release()).as("still held").isFalse();
                    assertThat(waiter).isNotDone();
                } finally {
                    standstill.end(server);
                }

                Lease next = waiter.get(1, TimeUnit.MINUTES);
                Always.holds(() -> assertThat(next.fencingToken()).isGreaterThan(renewed.fencingToken()));
                assertThat(renewed.isHeld()).isFalse();
                assertThat(next.release()).isTrue();
                // What was asked in vain is carried out by now, and holds up nobody.
                assertThat(mine.named("free").acquire(MINUTE).release()).isTrue();
                Lease after = mine.named("fixed").acquire(MINUTE);
                Always.holds(() -> assertThat(after.fencingToken()).isGreaterThan(fixed.fencingToken()));
                assertThat(losses).hasValue(2);
            }
        }
    }

    @Test
    void aLeaseIsOverForItsHolderBeforeItIsForTheServer() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Locks mine = open(server)) {
            Lease lease = mine.named("held").withFixedLease(LEASE).acquire();
            while (lease.isHeld()) {
                long left = admin.pttl(Application.key("held"));
                Duration remaining = lease.remaining(); // asked later: nothing but the lease's length makes it less
                assertThat(remaining)
                        .as("with " + left + " ms left at the server")
                        .satisfiesAnyOf(
                                later -> assertThat(later).isLessThanOrEqualTo(Duration.ofMillis(left)),
                                later -> assertThat(later).isZero());
            }
        }
    }

    private static Locks open(RedisServer server) {
        return Application.open(server.uri(), "lock.lease", LEASE.toMillis() + "ms", "lock.call-timeout", "500ms");
    }
}
