package dev.holdfast.lock.spring.boot.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("second-build")
class LocksHealthTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Executor APART = task -> new Thread(task, "probe").start();

    private long nanos = 1;
    private boolean silent;
    private Supplier<Optional<FailoverStatus>> failover = Optional::empty;
    private Runnable pinged = () -> {};
    private LockListener listener;

    private final LocksHealth health = new LocksHealth(locks(), admin(), LEASE, () -> nanos);

    @Test
    void storeThatAnswers_isUp() {
        assertThat(health.check().status()).isEqualTo("UP");
        assertThat(health.check().details()).containsEntry("provider", "redis").doesNotContainKey("authority");
    }

    @Test
    void silentStore_isUnknownForALeaseAndThenDown() {
        silent = true;
        assertThat(health.check().status()).isEqualTo("UNKNOWN");
        assertThat(health.check().details()).containsEntry("error", "no answer");

        nanos += LEASE.toNanos() - 1;
        assertThat(health.check().status()).isEqualTo("UNKNOWN");
        nanos += 1;
        assertThat(health.check().status()).isEqualTo("DOWN");

        silent = false;
        assertThat(health.check().status()).isEqualTo("UP");
        silent = true;
        assertThat(health.check().status()).isEqualTo("UNKNOWN");
    }

    @Test
    void unconfirmedLease_isUnknownUntilItIsConfirmedOrOver() {
        listener.unconfirmed("one", LeaseKind.EXCLUSIVE, 5, Duration.ofSeconds(20));
        listener.unconfirmed("two", LeaseKind.EXCLUSIVE, 5, Duration.ofSeconds(20));
        assertThat(health.check().status()).isEqualTo("UNKNOWN");
        assertThat(health.check().details()).containsEntry("unconfirmedLeases", 2);

        listener.confirmed("one", LeaseKind.EXCLUSIVE, 5, LEASE);
        assertThat(health.check().status()).isEqualTo("UNKNOWN");
        listener.released("two", LeaseKind.EXCLUSIVE, 5, LEASE);
        assertThat(health.check().status()).isEqualTo("UP");
    }

    @Test
    void unconfirmedLease_whoseEndIsNotReported_isForgottenWhenItIsOver() {
        listener.unconfirmed("one", LeaseKind.EXCLUSIVE, 5, Duration.ofSeconds(20));
        nanos += Duration.ofSeconds(20).toNanos() - 1;
        assertThat(health.check().details()).containsEntry("unconfirmedLeases", 1);

        nanos += 1;
        assertThat(health.check().status()).isEqualTo("UP");
        assertThat(health.check().details()).doesNotContainKey("unconfirmedLeases");
    }

    @Test
    void composite_showsItsAuthority() {
        failover = () -> status("jdbc");

        assertThat(health.check().status()).isEqualTo("UP");
        assertThat(health.check().details().get("authority").toString()).contains("jdbc", "grants=jdbc", "epoch=3");
    }

    @Test
    void composite_thatDoesNotGrant_showsItsAuthorityAndIsUnknown() {
        failover = () -> status("none");
        silent = true;

        assertThat(health.check().status()).isEqualTo("UNKNOWN");
        assertThat(health.check().details()).containsEntry("error", "no answer");
        assertThat(health.check().details().get("authority").toString()).contains("grants=none");
    }

    @Test
    void composite_whoseAuthorityIsSilent_isUnknownForALeaseAndThenDown() {
        failover = () -> {
            throw new LockUnavailableException("no answer from the authority", null);
        };
        assertThat(health.check().status()).isEqualTo("UNKNOWN");
        assertThat(health.check().details())
                .containsEntry("error", "no answer from the authority")
                .doesNotContainKey("authority");

        nanos += LEASE.toNanos();
        assertThat(health.check().status()).isEqualTo("DOWN");
        failover = () -> status("jdbc");
        assertThat(health.check().status()).isEqualTo("UP");
    }

    /** A frozen store answers each question after the timeout of a call, and a probe does not wait for several of them. */
    @Test
    void questions_toTheStore_areAskedSideBySide() {
        CountDownLatch both = new CountDownLatch(2);
        failover = () -> {
            both.countDown();
            Await.opened(both);
            return status("jdbc");
        };
        pinged = () -> {
            both.countDown();
            Await.opened(both);
        };

        assertThat(health.check().status()).isEqualTo("UP");
    }

    @Test
    void checks_whileTheAuthorityIsAsked_shareItsAnswer() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        CountDownLatch pings = new CountDownLatch(2);
        AtomicInteger questions = new AtomicInteger();
        failover = () -> {
            questions.incrementAndGet();
            Await.opened(answers);
            return status("jdbc");
        };
        pinged = pings::countDown;

        CompletableFuture<LocksHealth.Result> one = CompletableFuture.supplyAsync(health::check, APART);
        CompletableFuture<LocksHealth.Result> other = CompletableFuture.supplyAsync(health::check, APART);
        Await.opened(pings);
        answers.countDown();

        assertThat(Await.result(one).details()).containsKey("authority");
        assertThat(Await.result(other).details()).containsKey("authority");
        assertThat(questions).hasValue(1);
    }

    private static Optional<FailoverStatus> status(String active) {
        return Optional.of(new FailoverStatus(
                "redis", "jdbc", active, 3, Instant.EPOCH, "no reply", Duration.ofSeconds(10), 2, 1, 7));
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
            case "failoverStatus" -> failover.get();
            case "ping" -> {
                pinged.run();
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
