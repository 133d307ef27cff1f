package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.cli.text.Table;
import dev.holdfast.lock.cli.text.Times;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code lock list}: who holds what, and who waits. */
class ListTest extends InMemory {

    @Test
    void showsHolderTokenAndWaiters() throws Exception {
        Lease lease = held("nightly-report");
        assertThat(waitedFor("nightly-report")).isNotDone();
        assertThat(waitedFor("nightly-report")).isNotDone();

        Asked asked = Asked.alone("list", "--config", config);

        assertThat(asked.status()).isZero();
        assertThat(asked.said()).isEmpty();
        List<String> lines = asked.data().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).matches("NAME +HOLDER +SINCE +UNTIL +TOKEN");
        assertThat(lines.get(1))
                .matches("nightly-report +\\d+@\\S+ +\\S+ \\(\\S+.*\\) +\\S+ \\(in \\d+ s\\) +" + lease.fencingToken());
        assertThat(lines.get(2)).matches("  waiting 1 +\\d+@\\S+");
        assertThat(lines.get(3)).matches("  waiting 2 +\\d+@\\S+");
    }

    @Test
    void showsWhatAMinimumHoldKeepsAndThatNobodyHoldsIt() throws Exception {
        locks().named("kept").withMinimumHold(Duration.ofHours(1)).acquire().close();

        Asked asked = Asked.alone("list", "--config", config);

        assertThat(asked.data().lines().skip(1))
                .singleElement()
                .asString()
                .matches("kept +\\(minimum hold\\) +\\S+.* \\(in 59 min\\)");
    }

    @Test
    void showsThePrefixOnly() {
        held("report-a");
        held("report-b");
        held("Report-c");

        assertThat(Asked.alone("list", "--config", config, "report-").data().lines())
                .hasSize(3)
                .noneMatch(line -> line.startsWith("Report-c"));
    }

    @Test
    void aPrefixMayLookLikeAnOption() {
        held("--json");
        held("other");

        assertThat(Asked.alone("list", "--config", config, "--", "--json").data())
                .contains("\n--json ")
                .doesNotContain("other");
    }

    @Test
    void nothingHeldIsSaidAndSuccess() {
        Asked table = Asked.alone("list", "--config", config);
        Asked array = Asked.alone("list", "--config", config, "--json", "x\u001B");

        assertThat(table.status()).isZero();
        assertThat(table.data()).matches("NAME .* TOKEN\n");
        assertThat(table.said()).isEqualTo("lock: nothing is held or waited for\n");
        assertThat(array.status()).isZero();
        assertThat(array.data()).isEqualTo("[]\n");
        assertThat(array.said()).contains("nothing is held").contains("'x\\u001B'");
    }

    @Test
    void aTerminalObeysNoName() {
        held("a\u001B[2J\u202E\nb");

        assertThat(Asked.alone("list", "--config", config).data()).contains("\na\\u001B[2J\\u202E\\u000Ab ");
        assertThat(Asked.alone("list", "--config", config, "--json").data()).contains("a\\u001b[2J\\u202E\\nb");
    }

    @Test
    void forPrograms() throws Exception {
        Lease lease = held("a");
        assertThat(waitedFor("a")).isNotDone();
        locks().named("b").withMinimumHold(Duration.ofHours(1)).acquire().close();

        Asked asked = Asked.alone("list", "--config", config, "--json");

        JsonArray locks = JsonParser.parseString(asked.data()).getAsJsonArray();
        LockInfo a = shown("a").get(0);
        JsonObject first = locks.get(0).getAsJsonObject();
        assertThat(first.keySet()).containsExactly("name", "holder", "keptUntil", "waiters");
        assertThat(first.get("name").getAsString()).isEqualTo("a");
        assertThat(first.get("keptUntil").isJsonNull()).isTrue();
        JsonObject holder = first.getAsJsonObject("holder");
        assertThat(holder.keySet()).containsExactly("owner", "fencingToken", "since", "until");
        assertThat(holder.getAsJsonPrimitive("fencingToken").isString()).isTrue();
        assertThat(holder.get("fencingToken").getAsString()).isEqualTo(Long.toString(lease.fencingToken()));
        assertThat(holder.get("owner").getAsString())
                .isEqualTo(a.holder().orElseThrow().owner());
        assertThat(Instant.parse(holder.get("since").getAsString()))
                .isEqualTo(a.holder().orElseThrow().since());
        assertThat(holder.get("until").getAsString()).endsWith("Z");
        assertThat(first.getAsJsonArray("waiters").get(0).getAsString())
                .isEqualTo(a.waiters().get(0));
        JsonObject second = locks.get(1).getAsJsonObject();
        assertThat(second.get("holder").isJsonNull()).isTrue();
        assertThat(Instant.parse(second.get("keptUntil").getAsString()))
                .isEqualTo(shown("b").get(0).keptUntil().orElseThrow());
    }

    @Test
    void aStoreThatCannotTellSaysSo() throws IOException {
        Path blind = Files.writeString(folder.resolve("blind.properties"), "lock.provider=blind\n");

        Asked asked = Asked.alone("list", "--config", blind.toString(), "--json");

        assertThat(asked.status()).isEqualTo(69);
        assertThat(asked.said()).startsWith("lock: ").contains("cannot tell who holds what");
        assertThat(asked.data()).isEmpty();
    }

    /** However many there are, only the first ones are read ahead of what is printed. */
    @Test
    void readsNoFurtherThanItPrints() throws IOException {
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
    void aFreeLockThatIsWaitedForHasNoHolder() throws IOException {
        LockInfo free = new LockInfo(new LockName("a"), Optional.empty(), Optional.empty(), List.of("x", "y"));
        StringBuilder page = new StringBuilder();

        table().print(List.of(free).iterator(), line -> page.append(line).append('\n'));

        assertThat(page.toString().lines().skip(1).map(line -> line.replaceAll(" {2,}", "|")))
                .containsExactly("a|(nobody)", "|waiting 1|x", "|waiting 2|y");
    }

    /** Names that nobody chose with a table in mind, and owners from a cloud. */
    @Test
    void fitsAPageAlsoWithLongNames() throws IOException {
        List<LockInfo> locks = List.of(
                info("short", "1@a", List.of()),
                info("n".repeat(50), "12345@ip-10-0-12-34.eu-central-1.compute.internal", List.of("2@b")),
                info(
                        "a-name-of-middle-length",
                        "77@web-4",
                        List.of("12345@ip-10-0-12-34.eu-central-1.compute.internal")));
        StringBuilder page = new StringBuilder();

        table().print(locks.iterator(), line -> page.append(line).append('\n'));

        assertThat(page.toString().lines()).allMatch(line -> line.length() <= Table.PAGE, "on a page of 100 columns");
    }

    private static LockTable table() {
        Instant now = Instant.parse("2026-11-21T15:00:00Z");
        return new LockTable(new Times(() -> now, ZoneOffset.UTC));
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
