package dev.holdfast.lock.spring.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.holdfast.lock.LockUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The value of an application that uses no lock, as Prometheus reads it, in stepped time. */
class StoreOutageTest {

    private static final Path ALERTS = Path.of("..", "docs", "monitoring", "holdfast-alerts.yaml");
    private static final Duration SCRAPE = Duration.ofSeconds(15);

    private long nanos;
    private boolean silent;
    private int questions;
    private final List<Runnable> waiting = new ArrayList<>();
    private final StoreOutage outage = new StoreOutage(() -> nanos, this::ping, waiting::add);

    @Test
    void idleApplication_whileTheStoreIsSilent_hasTheAlertFiring() throws IOException {
        assertThat(scrapes(4)).containsOnly(0);

        silent = true;
        List<Integer> during = scrapes(20);

        long firing = during.stream().dropWhile(value -> value == 0).count() - 1;
        assertThat(during.subList(2, 20)).containsOnly(1);
        assertThat(SCRAPE.multipliedBy(firing)).isGreaterThan(durationOfAlert());
        silent = false;
        assertThat(scrapes(3)).endsWith(0, 0);
    }

    @Test
    void store_isAskedByOneAtATimeAndOnlyIfNothingIsKnown() {
        pass(Duration.ofSeconds(9));
        outage.asNumber();
        assertThat(waiting).isEmpty();
        pass(Duration.ofSeconds(1));
        outage.asNumber();
        outage.asNumber();
        assertThat(waiting).hasSize(1);

        waiting.remove(0).run();
        outage.asNumber();
        pass(Duration.ofSeconds(9));
        outage.answered();
        pass(Duration.ofSeconds(9));
        outage.asNumber();
        assertThat(waiting).isEmpty();
        assertThat(questions).isEqualTo(1);
    }

    @Test
    void closedLocks_areNoOutage() {
        StoreOutage closed = new StoreOutage(
                () -> nanos,
                () -> {
                    throw new IllegalStateException("closed");
                },
                Runnable::run);
        pass(Duration.ofMinutes(1));
        assertThat(closed.asNumber()).isZero();
        assertThat(closed.asNumber()).isZero();
    }

    @Test
    void store_forWhichNoThreadWasAvailable_isAskedByTheNextReader() {
        AtomicInteger refusals = new AtomicInteger(1);
        StoreOutage refused = new StoreOutage(() -> nanos, this::ping, task -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
            }
            task.run();
        });
        pass(Duration.ofSeconds(10));
        assertThatCode(refused::asNumber).doesNotThrowAnyException();
        assertThat(questions).isZero();

        assertThat(refused.asNumber()).isZero();
        assertThat(questions).isEqualTo(1);
    }

    private List<Integer> scrapes(int count) {
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pass(SCRAPE);
            values.add(outage.asNumber());
            waiting.forEach(Runnable::run);
            waiting.clear();
        }
        return values;
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private void ping() {
        questions++;
        if (silent) {
            throw new LockUnavailableException("no answer", null);
        }
    }

    private static Duration durationOfAlert() throws IOException {
        Matcher alert = Pattern.compile(
                        "alert: HoldfastStoreOutage\\s+expr: .*holdfast_lock_outage\\) == 1\\s+for: (\\d+)m")
                .matcher(Files.readString(ALERTS));
        assertThat(alert.find()).isTrue();
        return Duration.ofMinutes(Long.parseLong(alert.group(1)));
    }
}
