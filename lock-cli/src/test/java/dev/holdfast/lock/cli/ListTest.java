package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code lock list}: holders and waiters. */
class ListTest extends MemoryCliTestBase {

    @Test
    void list_whenHeldAndWaitedFor_showsHolderTokenAndWaiters() throws Exception {
        Lease lease = hold("nightly-report");
        assertThat(waitFor("nightly-report")).isNotDone();
        assertThat(waitFor("nightly-report")).isNotDone();

        CliInvocation result = invoke("list");

        assertThat(result.exitStatus()).isZero();
        assertThat(result.stderr()).isEmpty();
        List<String> lines = result.stdout().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).matches("NAME +HOLDER +SINCE +UNTIL +TOKEN");
        assertThat(lines.get(1))
                .matches("nightly-report +\\d+@\\S+ +\\S+ \\(\\S+.*\\) +\\S+ \\(in \\d+ s\\) +" + lease.fencingToken());
        assertThat(lines.get(2)).matches("  waiting 1 +\\d+@\\S+");
        assertThat(lines.get(3)).matches("  waiting 2 +\\d+@\\S+");
    }

    @Test
    void list_whenSharedAndCounted_showsAllHoldersAndWaitersWithTheirShares() throws Exception {
        Lease reading = newClient().named("a").shared().acquire();
        Lease permits = newClient().semaphore("a", 4).acquire(2);
        assertThat(waitFor("a")).isNotDone();
        assertThat(waitFor(newClient().named("a").shared())).isNotDone();

        CliInvocation table = invoke("list");
        JsonObject json = invoke("list", "--json").jsonArray().get(0).getAsJsonObject();

        List<String> lines = table.stdout().lines().toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.get(1)).matches("a +\\d+@\\S+ \\(shared\\) .* " + reading.fencingToken());
        assertThat(lines.get(2)).matches("  holder 2 +\\d+@\\S+ \\(2 of 4\\) .* " + permits.fencingToken());
        assertThat(lines.get(3)).matches("  waiting 1 +\\d+@\\S+");
        assertThat(lines.get(4)).matches("  waiting 2 +\\d+@\\S+ \\(shared\\)");
        assertThat(json.getAsJsonArray("holders").asList().stream().map(ListTest::share))
                .containsExactly("1 of null", "2 of 4");
        assertThat(json.getAsJsonArray("waiters").asList().stream().map(ListTest::share))
                .containsExactly("1 of 1", "1 of null");
    }

    private static String share(JsonElement of) {
        return of.getAsJsonObject().get("permits") + " of "
                + of.getAsJsonObject().get("limit");
    }

    @Test
    void list_whenUnderMinimumHold_showsItWithoutHolder() throws Exception {
        newClient().named("kept").withMinimumHold(Duration.ofHours(1)).acquire().close();

        CliInvocation result = invoke("list");

        assertThat(result.stdout().lines().skip(1))
                .singleElement()
                .asString()
                .matches("kept +\\(minimum hold\\) +\\S+.* \\(in 59 min\\)");
    }

    @Test
    void list_withPrefix_showsMatchingNamesOnly() {
        hold("report-a");
        hold("report-b");
        hold("Report-c");

        assertThat(invoke("list", "report-").stdout().lines())
                .hasSize(3)
                .noneMatch(line -> line.startsWith("Report-c"));
    }

    @Test
    void list_whenPrefixLooksLikeOption_showsMatchingNamesOnly() {
        hold("--json");
        hold("other");

        assertThat(invoke("list", "--", "--json").stdout())
                .contains("\n--json ")
                .doesNotContain("other");
    }

    @Test
    void list_whenNothingHeld_saysSoAndSucceeds() {
        CliInvocation table = invoke("list");
        CliInvocation array = invoke("list", "--json", "x\u001B");

        assertThat(table.exitStatus()).isZero();
        assertThat(table.stdout()).matches("NAME .* TOKEN\n");
        assertThat(table.stderr()).isEqualTo("lock: no lock is held or waited for\n");
        assertThat(array.exitStatus()).isZero();
        assertThat(array.stdout()).isEqualTo("[]\n");
        assertThat(array.stderr()).contains("no lock is held").contains("'x\\u001B'");
    }

    @Test
    void list_whenNameHasControlCharacters_escapesThem() {
        hold("a\u001B[2J\u202E\nb");

        assertThat(invoke("list").stdout()).contains("\na\\u001B[2J\\u202E\\u000Ab ");
        assertThat(invoke("list", "--json").stdout()).contains("a\\u001b[2J\\u202E\\nb");
    }

    @Test
    void listJson_always_containsAllFields() throws Exception {
        Lease lease = hold("a");
        assertThat(waitFor("a")).isNotDone();
        newClient().named("b").withMinimumHold(Duration.ofHours(1)).acquire().close();

        CliInvocation result = invoke("list", "--json");

        JsonArray locks = result.jsonArray();
        LockInfo a = listed("a").get(0);
        JsonObject first = locks.get(0).getAsJsonObject();
        assertThat(first.keySet()).containsExactly("name", "holders", "keptUntil", "waiters");
        assertThat(first.get("name").getAsString()).isEqualTo("a");
        assertThat(first.get("keptUntil").isJsonNull()).isTrue();
        JsonObject holder = first.getAsJsonArray("holders").get(0).getAsJsonObject();
        assertThat(holder.keySet()).containsExactly("owner", "fencingToken", "since", "until", "permits", "limit");
        assertThat(holder.getAsJsonPrimitive("fencingToken").isString()).isTrue();
        assertThat(holder.get("fencingToken").getAsString()).isEqualTo(Long.toString(lease.fencingToken()));
        assertThat(holder.get("owner").getAsString())
                .isEqualTo(a.holder().orElseThrow().owner());
        assertThat(Instant.parse(holder.get("since").getAsString()))
                .isEqualTo(a.holder().orElseThrow().since());
        assertThat(holder.get("until").getAsString()).endsWith("Z");
        JsonObject waiter = first.getAsJsonArray("waiters").get(0).getAsJsonObject();
        assertThat(waiter.keySet()).containsExactly("owner", "permits", "limit");
        assertThat(waiter.get("owner").getAsString())
                .isEqualTo(a.waitingOwners().get(0));
        JsonObject second = locks.get(1).getAsJsonObject();
        assertThat(second.getAsJsonArray("holders")).isEmpty();
        assertThat(Instant.parse(second.get("keptUntil").getAsString()))
                .isEqualTo(listed("b").get(0).minimumHoldUntil().orElseThrow());
    }

    @Test
    void list_whenStoreCannotList_exitsWith69() throws IOException {
        Path unlistable = Files.writeString(folder.resolve("unlistable.properties"), "lock.provider=unlistable\n");

        CliInvocation result = CliInvocation.nonInteractive("list", "--config", unlistable.toString(), "--json");

        assertThat(result.exitStatus()).isEqualTo(69);
        assertThat(result.stderr()).startsWith("lock: ").contains("cannot list its locks");
        assertThat(result.stdout()).isEmpty();
    }
}
