package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/** A server that keeps its connections and answers nothing for longer than a lease. */
@Tag("first-build")
@Execution(ExecutionMode.CONCURRENT)
class FrozenServerTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void frozenServer_losesLeasesAndServesWaitersAfterwards() throws Exception {
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            History history = new History();
            Claims claims = history.claimsOf("mine");
            Claims claimsOfOthers = history.claimsOf("others");
            try (Locks mine = open(server, LEASE);
                    Locks others = open(server, Duration.ofMinutes(1))) {
                AtomicInteger losses = new AtomicInteger();
                Lease renewed = mine.named("renewed").acquire();
                renewed.onLost(loss -> losses.incrementAndGet());
                Lease fixed = mine.named("fixed").withFixedLease(LEASE).acquire();
                fixed.onLost(loss -> losses.incrementAndGet());
                CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(
                                () -> Await.lease(others.named("renewed")), OwnThread.EACH)
                        .thenApply(next -> claimsOfOthers.hold(next) && next.release());
                long claimOfRenewed = claims.granted(renewed);
                long claimOfFixed = claims.granted(fixed);

                server.freeze();
                try {
                    assertThatThrownBy(() -> others.named("free").tryAcquire())
                            .isInstanceOf(LockUnavailableException.class);
                    Await.until("both holders are told", () -> {
                        boolean renewedIsHeld = claims.isHeld(claimOfRenewed, renewed);
                        boolean fixedIsHeld = claims.isHeld(claimOfFixed, fixed);
                        return !renewedIsHeld && !fixedIsHeld && losses.get() == 2;
                    });
                    assertThat(renewed.state()).isEqualTo(LeaseState.LOST);
                    assertThat(fixed.state()).isEqualTo(LeaseState.LOST);
                    assertThat(renewed.release()).as("still held").isFalse();
                } finally {
                    server.thaw();
                }

                assertThat(Await.result(waiter)).isTrue();
                assertThat(renewed.isHeld()).isFalse();
                // The commands that went unanswered are carried out by now, and hinder no other.
                assertThat(Await.lease(others.named("free")).release()).isTrue();
                assertThat(claimsOfOthers.hold(Await.lease(others.named("fixed"))))
                        .isTrue();
                assertThat(losses).hasValue(2);
                history.verify(2);
            }
        }
    }

    @Test
    void lease_atItsEnd_expiresForHolderBeforeServer() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Locks mine = open(server, LEASE)) {
            Lease lease = mine.named("held").withFixedLease(LEASE).acquire();
            while (lease.isHeld()) {
                long left = admin.pttl(Application.key("held"));
                Duration remaining = lease.remaining(); // asked later: nothing but the lease's length makes it less
                assertThat(remaining)
                        .as("with " + left + " ms left at the server")
                        .satisfiesAnyOf(
                                later -> assertThat(later).isLessThanOrEqualTo(Duration.ofMillis(left)),
                                later -> assertThat(later).isZero());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    private static Locks open(RedisServer server, Duration lease) {
        return Application.open(server.uri(), "lock.lease", lease.toMillis() + "ms", "lock.call-timeout", "1s");
    }
}
