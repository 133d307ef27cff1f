package dev.holdfast.lock.cli.top;

import static dev.holdfast.lock.cli.top.LockState.NOW;
import static dev.holdfast.lock.cli.top.LockState.at;
import static dev.holdfast.lock.cli.top.LockState.held;
import static dev.holdfast.lock.cli.top.LockState.holder;
import static dev.holdfast.lock.cli.top.LockState.kept;
import static dev.holdfast.lock.cli.top.LockState.lock;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.cli.top.TopPage.Subject;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The page of {@code lock top}, at 80 columns. */
class TopPageTest {

    private static final Share ONE_OF_THREE = new Share(1, 3);

    private final Renewals renewals = new Renewals();

    private static LockInfo fetch() {
        return lock(
                "fetch",
                List.of(
                        holder(11, "733@web-1", ONE_OF_THREE, -37, 21),
                        holder(12, "912@web-2", ONE_OF_THREE, -25, 24),
                        holder(13, "shop/2204@web-3", ONE_OF_THREE, -17, 12)),
                "818@web-4");
    }

    private static Snapshot locks() {
        return at(
                0,
                fetch(),
                kept("invoices", 3541),
                held("nightly-report", 14, "shop/4711@web-3", -615, 24, "812@web-4", "5120@web-1"));
    }

    private TopPage page(Snapshot snapshot) {
        renewals.observe(snapshot);
        return new TopPage(snapshot, renewals, ZoneOffset.UTC);
    }

    private static String text(List<String> lines) {
        return String.join("\n", lines) + "\n";
    }

    @Test
    void page_ofLocks_showsHoldersAgeTimeLeftAndWaiters() {
        assertThat(text(page(locks()).lines(Subject.LOCKS, TopOrder.WAITERS, 80)))
                .isEqualTo("""
                        14:31:17  3 locks, 4 holders, 3 waiters, 0 renewals behind
                        jdbc grants all locks

                        NAME            HOLDER                    AGE     LEFT    WAITERS  RENEWED
                        nightly-report  shop/4711@web-3           10 min  24 s    2
                        fetch           733@web-1 (1 of 3)        37 s    21 s    1
                          holder 2      912@web-2 (1 of 3)        25 s    24 s
                          holder 3      shop/2204@web-3 (1 of 3)  17 s    12 s
                        invoices        (minimum hold)                    59 min  0
                        """);
    }

    @Test
    void page_ofBlocked_namesTheProcessAndHostOfEachHolder() {
        assertThat(text(page(locks()).lines(Subject.BLOCKED, TopOrder.WAITERS, 80)))
                .endsWith("""

                        nightly-report is held by process 4711 on web-3, of shop, since 14:21:02 (10 min
                        ago)
                          waiting 1  812@web-4
                          waiting 2  5120@web-1
                        fetch is held by process 733 on web-1 (1 of 3), since 14:30:40 (37 s ago)
                        fetch is held by process 912 on web-2 (1 of 3), since 14:30:52 (25 s ago)
                        fetch is held by process 2204 on web-3, of shop (1 of 3), since 14:31:00 (17 s
                        ago)
                          waiting 1  818@web-4
                        """);
        assertThat(page(at(0, held("a", 1, "4711@web-3", -5, 5))).lines(Subject.BLOCKED, TopOrder.NAME, 80))
                .last()
                .isEqualTo("no lock is waited for");
        assertThat(page(at(0, kept("a", 30, "x"), lock("b", List.of(), "y"), held("c", 1, "me", -1, 1, "z")))
                        .lines(Subject.BLOCKED, TopOrder.NAME, 80))
                .contains(
                        "a is kept by a minimum hold until 14:31:47 (in 30 s)",
                        "b is free, and about to be granted to its first waiter",
                        "c is held by me, since 14:31:16 (1 s ago)");
    }

    @Test
    void page_whenRenewalsWereSeen_showsThemAndCountsThoseBehind() {
        renewals.observe(at(-20, held("a", 1, "1@x", -60, 5), held("b", 2, "2@x", -60, 5)));
        renewals.observe(at(-17, held("a", 1, "1@x", -60, 5), held("b", 2, "2@x", -60, 13)));

        String page = text(page(at(0, held("a", 1, "1@x", -60, 33), held("b", 2, "2@x", -60, 13)))
                .lines(Subject.LOCKS, TopOrder.RENEWED, 80));

        assertThat(page)
                .contains("0 waiters, 1 renewal behind\n")
                .containsSubsequence(
                        "b     2@x     60 s  13 s  0        not for 17 s\n",
                        "a     1@x     60 s  33 s  0        0 s ago\n");
    }

    @Test
    void page_ofComposite_showsTheStoreThatGrantsAndTheLastFailover() {
        FailoverStatus status = new FailoverStatus(
                "redis",
                "jdbc",
                "jdbc",
                3,
                NOW.minusSeconds(7),
                "2 of 3 processes cannot reach it",
                Duration.ofSeconds(2),
                3,
                2,
                1);

        assertThat(page(new Snapshot(NOW, "composite", Optional.of(status), List.of()))
                        .lines(Subject.LOCKS, TopOrder.NAME, 80))
                .containsExactly(
                        "14:31:17  0 locks, 0 holders, 0 waiters, 0 renewals behind",
                        "grants         jdbc, the fallback, until redis has been healthy for a while",
                        "last failover  14:31:10 (7 s ago), epoch 3: 2 of 3 processes cannot reach it",
                        "",
                        "NAME  HOLDER  AGE  LEFT  WAITERS  RENEWED");
    }

    @Test
    void order_always_sortsByWhatItIsNamedAfter() {
        Snapshot snapshot = at(
                0,
                held("a", 1, "1@x", -5, 20),
                held("b", 2, "2@x", -50, 25, "3@x"),
                kept("c", 5),
                lock("d", List.of(), "4@x", "5@x"));
        renewals.observe(snapshot);

        assertThat(sorted(snapshot, TopOrder.NAME)).isEqualTo("abcd");
        assertThat(sorted(snapshot, TopOrder.AGE)).isEqualTo("bacd");
        assertThat(sorted(snapshot, TopOrder.LEFT)).isEqualTo("cabd");
        assertThat(sorted(snapshot, TopOrder.WAITERS)).isEqualTo("dbac");
        assertThat(sorted(snapshot, TopOrder.RENEWED)).isEqualTo("abcd");
    }

    private String sorted(Snapshot snapshot, TopOrder order) {
        StringBuilder names = new StringBuilder();
        order.sorted(snapshot.locks(), renewals)
                .forEach(lock -> names.append(lock.name().value()));
        return names.toString();
    }

    @Test
    void screen_always_fitsItsSizeAndNamesTheKeysOrTheTrouble() {
        LockInfo[] many = IntStream.range(100, 150)
                .mapToObj(i -> held(
                        "n".repeat(60) + i,
                        i,
                        i + "@ip-10-0-12-34.eu-central-1.compute.internal",
                        -86_400 * 3L,
                        20,
                        "東京"))
                .toArray(LockInfo[]::new);
        TopPage page = page(at(0, many));

        for (Subject subject : Subject.values()) {
            for (int width : List.of(80, 40, 1)) {
                List<String> screen = page.screen(subject, TopOrder.NAME, width, 24, "");
                assertThat(screen).hasSize(24).allMatch(line -> line.length() <= width);
                if (width == 80) {
                    assertThat(screen.get(22)).matches("… \\d+ more lines: .*PREFIX.*");
                    assertThat(screen.get(23)).startsWith("q quit").endsWith("r renewed");
                }
            }
            assertThat(page.screen(subject, TopOrder.NAME, 80, 1, "")).hasSize(2);
            assertThat(page.screen(subject, TopOrder.NAME, 80, 24, "not read: no answer"))
                    .last()
                    .isEqualTo("not read: no answer");
            assertThat(page.screen(subject, TopOrder.NAME, 80, 300, "")).hasSize(300);
        }
        assertThat(page.screen(Subject.LOCKS, TopOrder.NAME, 80, 24, "").get(4))
                .matches("n+… +100@ip-[-0-9.a-z]+… +3 days +20 s +1");
    }

    @Test
    void page_whenNamesAreLong_showsThemInOnePiece() {
        String name = "n".repeat(90);

        assertThat(page(at(0, held(name, 1, "1@x", -5, 5))).lines(Subject.LOCKS, TopOrder.NAME, 80))
                .contains(name);
    }

    @Test
    void page_whenTextHasControlCharacters_escapesThem() {
        Snapshot snapshot = at(0, held("a\u001B[2J", 1, "4711@x\u001B[2J", -5, 5, "\u001B[2J"));

        for (Subject subject : Subject.values()) {
            assertThat(text(page(snapshot).lines(subject, TopOrder.NAME, 80)))
                    .contains("a\\u001B[2J")
                    .doesNotContain("\u001B");
        }
    }
}
