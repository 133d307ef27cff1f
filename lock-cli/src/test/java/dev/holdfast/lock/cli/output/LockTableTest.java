package dev.holdfast.lock.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Locks for people. */
class LockTableTest {

    @Test
    void print_whenManyLocks_readsAtMost101AheadOfOutput() throws IOException {
        AtomicLong read = new AtomicLong();
        AtomicLong printed = new AtomicLong();
        Stream<LockInfo> many = IntStream.range(0, 10_000).mapToObj(i -> {
            read.incrementAndGet();
            assertThat(read.get() - printed.get()).isLessThanOrEqualTo(101);
            return info("lock-" + (10_000 + i), "owner", List.of());
        });

        table().print(many.iterator(), line -> printed.incrementAndGet());

        assertThat(printed.get()).isEqualTo(10_001);
    }

    @Test
    void print_whenFreeLockHasWaiters_showsNoHolder() throws IOException {
        LockInfo free = new LockInfo(new LockName("a"), Optional.empty(), Optional.empty(), List.of("x", "y"));
        StringBuilder page = new StringBuilder();

        table().print(List.of(free).iterator(), line -> page.append(line).append('\n'));

        assertThat(page.toString().lines().skip(1).map(line -> line.replaceAll(" {2,}", "|")))
                .containsExactly("a|(free)", "|waiting 1|x", "|waiting 2|y");
    }

    @Test
    void print_whenPermitsAreHeldAndKept_showsEachHolderAndTheMinimumHold() throws IOException {
        Instant until = Instant.parse("2026-11-21T15:00:30Z");
        LockInfo.Holder one = new LockInfo.Holder(
                new AcquisitionId(1, 2), "x", 1L << 40, until.minusSeconds(60), until, new Share(2, 4));
        LockInfo.Holder two = new LockInfo.Holder(
                new AcquisitionId(3, 4), "y", 1L << 41, until.minusSeconds(60), until, Share.shared());
        LockInfo counted = new LockInfo(
                new LockName("a"),
                List.of(one, two),
                Optional.of(until),
                List.of(new LockInfo.Waiter("z", Share.EXCLUSIVE)));
        StringBuilder page = new StringBuilder();

        table().print(List.of(counted).iterator(), line -> page.append(line).append('\n'));

        assertThat(page.toString().lines().skip(1).map(line -> line.replaceAll(" {2,}", "|")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("a|x (2 of 4)|"),
                        line -> assertThat(line).startsWith("|holder 2|y (shared)|"),
                        line -> assertThat(line).startsWith("|kept|(minimum hold)|"),
                        line -> assertThat(line).isEqualTo("|waiting 1|z"));
    }

    /** Long lock names, and owners with the long host names of a cloud. */
    @Test
    void print_whenNamesAreLong_fitsPage() throws IOException {
        List<LockInfo> locks = List.of(
                info("short", "1@a", List.of()),
                info("n".repeat(50), "12345@ip-10-0-12-34.eu-central-1.compute.internal", List.of("2@b")),
                info(
                        "a-name-of-middle-length",
                        "77@web-4",
                        List.of("12345@ip-10-0-12-34.eu-central-1.compute.internal")));
        StringBuilder page = new StringBuilder();

        table().print(locks.iterator(), line -> page.append(line).append('\n'));

        assertThat(page.toString().lines())
                .allMatch(line -> line.length() <= Table.PAGE_WIDTH, "on a page of 100 columns");
    }

    private static LockTable table() {
        Instant now = Instant.parse("2026-11-21T15:00:00Z");
        return new LockTable(new TimeText(() -> now, ZoneOffset.UTC));
    }

    private static LockInfo info(String name, String owner, List<String> waiters) {
        LockInfo.Holder holder = new LockInfo.Holder(
                new AcquisitionId(1, 2),
                owner,
                1L << 50,
                Instant.parse("2026-11-20T15:00:00Z"),
                Instant.parse("2026-11-21T15:00:30Z"));
        return new LockInfo(new LockName(name), Optional.of(holder), Optional.empty(), waiters);
    }
}
