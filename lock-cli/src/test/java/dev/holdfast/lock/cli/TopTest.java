package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code lock top} without a terminal: one page. */
class TopTest extends MemoryCliTestBase {

    @Test
    void top_whenNoTerminal_printsOnePageThatFits80Columns() throws Exception {
        hold("nightly-report");
        assertThat(waitFor("nightly-report")).isNotDone();
        hold("another");

        CliInvocation result = invoke("top");

        assertThat(result.exitStatus()).as(result.stderr()).isZero();
        assertThat(result.stderr()).isEmpty();
        List<String> lines = result.stdout().lines().toList();
        assertThat(lines.get(0)).endsWith("  2 locks, 2 holders, 1 waiter, 0 renewals behind");
        assertThat(lines.get(1)).isEqualTo("memory grants all locks");
        assertThat(lines.get(3)).matches("NAME +HOLDER +AGE +LEFT +WAITERS +RENEWED");
        assertThat(lines.get(4)).matches("nightly-report +\\d+@\\S+ +\\d+ s +\\d+ s +1");
        assertThat(lines.get(5)).matches("another +\\d+@\\S+ +\\d+ s +\\d+ s +0");
        assertThat(lines).hasSize(6).allMatch(line -> line.length() <= 80);
    }

    @Test
    void top_whenSortedAndFiltered_showsThoseLocksInThatOrder() throws Exception {
        hold("report-b");
        assertThat(waitFor("report-b")).isNotDone();
        hold("report-a");
        hold("other");

        assertThat(invoke("top", "--sort", "name", "report-").stdout().lines().skip(4))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("report-a "),
                        line -> assertThat(line).startsWith("report-b "));
    }

    @Test
    void topBlocked_always_namesProcessAndHostOfTheHolderForEachWaiter() throws Exception {
        hold("a");
        assertThat(waitFor("a")).isNotDone();
        hold("b");

        String page = invoke("top", "--blocked").stdout();

        assertThat(page.lines().skip(3).findFirst().orElseThrow())
                .startsWith("a is held by process " + ProcessHandle.current().pid() + " on ")
                .contains(", since ");
        assertThat(page).containsPattern("\n  waiting 1  \\d+@\\S+\n$");
    }

    @Test
    void topJson_always_isWhatStatusAndListShow() throws Exception {
        hold("a");
        assertThat(waitFor("a")).isNotDone();

        JsonObject json = invoke("top", "--json").json();

        assertThat(json.keySet()).containsExactly("provider", "failover", "locks");
        assertThat(json.get("provider"))
                .isEqualTo(invoke("status", "--json").json().get("provider"));
        assertThat(json.get("failover").isJsonNull()).isTrue();
        assertThat(json.getAsJsonArray("locks").toString().replaceAll("\"until\":\"[^\"]*\"", ""))
                .isEqualTo(invoke("list", "--json").jsonArray().toString().replaceAll("\"until\":\"[^\"]*\"", ""));
    }

    @Test
    void top_whenStoreCannotList_exitsWith69() throws IOException {
        Path unlistable = Files.writeString(folder.resolve("unlistable.properties"), "lock.provider=unlistable\n");

        CliInvocation result = CliInvocation.nonInteractive("top", "--config", unlistable.toString());

        assertThat(result.exitStatus()).isEqualTo(69);
        assertThat(result.stderr()).startsWith("lock: ").contains("cannot list its locks");
        assertThat(result.stdout()).isEmpty();
    }
}
