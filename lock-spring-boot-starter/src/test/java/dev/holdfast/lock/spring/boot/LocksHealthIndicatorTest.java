package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class LocksHealthIndicatorTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private long nanos = 1;
    private boolean silent;
    private Optional<FailoverStatus> failover = Optional.empty();
    private LockListener listener;

    private final LocksHealthIndicator indicator = new LocksHealthIndicator(locks(), admin(), LEASE, () -> nanos);

    @Test
    void storeThatAnswers_isUp() {
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(health().getDetails()).containsEntry("provider", "redis").doesNotContainKey("authority");
    }

    @Test
    void silentStore_isUnknownForALeaseAndThenDown() {
        silent = true;
        assertThat(health().getStatus()).isEqualTo(Status.UNKNOWN);
        assertThat(health().getDetails()).containsEntry("error", "no answer");

        nanos += LEASE.toNanos() - 1;
        assertThat(health().getStatus()).isEqualTo(Status.UNKNOWN);
        nanos += 1;
        assertThat(health().getStatus()).isEqualTo(Status.DOWN);

        silent = false;
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        silent = true;
        assertThat(health().getStatus()).isEqualTo(Status.UNKNOWN);
    }

    @Test
    void unconfirmedLease_isUnknownUntilItIsConfirmedOrOver() {
        listener.unconfirmed("one", 5, Duration.ofSeconds(20));
        listener.unconfirmed("two", 5, Duration.ofSeconds(20));
        assertThat(health().getStatus()).isEqualTo(Status.UNKNOWN);
        assertThat(health().getDetails()).containsEntry("unconfirmedLeases", 2);

        listener.confirmed("one", 5, LEASE);
        assertThat(health().getStatus()).isEqualTo(Status.UNKNOWN);
        listener.released("two", 5, LEASE);
        assertThat(health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void composite_showsItsAuthority() {
        failover = Optional.of(new FailoverStatus(
                "redis", "jdbc", "jdbc", 3, Instant.EPOCH, "no reply", Duration.ofSeconds(10), 2, 1, 7));

        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(health().getDetails().get("authority").toString()).contains("jdbc", "grants=jdbc", "epoch=3");
    }

    private Health health() {
        return indicator.health();
    }

    private Locks locks() {
        return fake(Locks.class, (method, arguments) -> {
            listener = (LockListener) arguments[0];
            return null;
        });
    }

    private LockAdmin admin() {
        return fake(LockAdmin.class, (method, arguments) -> switch (method) {
            case "provider" -> "redis";
            case "failoverStatus" -> failover;
            case "ping" -> {
                if (silent) {
                    throw new LockUnavailableException("no answer", null);
                }
                yield null;
            }
            default -> throw new UnsupportedOperationException(method);
        });
    }

    private static <T> T fake(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.reply(method.getName(), arguments)));
    }

    @FunctionalInterface
    private interface Call {
        Object reply(String method, Object[] arguments);
    }
}
