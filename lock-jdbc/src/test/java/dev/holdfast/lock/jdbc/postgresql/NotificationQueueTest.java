package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** When calls notify, and what is logged, while the server's queue of notifications is full; in stepped time. */
@Tag("first-build")
class NotificationQueueTest {

    private final SQLException full = new SQLException("too many notifications in the NOTIFY queue", "54000");

    private final AtomicLong now = new AtomicLong(-5);
    private final AtomicInteger warnings = new AtomicInteger();
    private final NotificationQueue queue = new NotificationQueue(now::get, log());

    private Logger log() {
        return (Logger) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("warn")) {
                        warnings.incrementAndGet();
                    }
                    return null;
                });
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void call_whileTheQueueIsFull_notifiesOnceASecond() {
        assertThat(queue.accepts()).isTrue();
        assertThat(queue.isFullAfter(full)).isTrue();
        assertThat(queue.accepts()).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(queue.accepts()).isTrue();
        queue.isFullAfter(full);
        assertThat(queue.accepts()).isFalse();
    }

    @Test
    void fullQueue_isLoggedOnceUntilItWasQuietForAMinute() {
        for (int failure = 0; failure < 1_000; failure++) {
            queue.isFullAfter(full);
            pass(Duration.ofSeconds(1));
        }
        assertThat(warnings).hasValue(1);
        pass(Duration.ofMinutes(1));
        queue.isFullAfter(full);
        assertThat(warnings).hasValue(2);
    }

    @Test
    void otherFailure_saysNothingAboutTheQueue() {
        assertThat(queue.isFullAfter(new SQLException("connection lost", "08006")))
                .isFalse();
        assertThat(queue.isFullAfter(new SQLException("no state"))).isFalse();
        assertThat(queue.accepts()).isTrue();
        assertThat(warnings).hasValue(0);
    }
}
