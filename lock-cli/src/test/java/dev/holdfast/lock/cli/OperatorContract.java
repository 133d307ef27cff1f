package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an operator sees and does on a real store while {@code lock run} uses it. */
@Tag("first-build")
abstract class OperatorContract extends CliTestBase {

    /** The start of the owner text of this process. */
    private static final String OWNER = ProcessHandle.current().pid() + "@";

    @Test
    void list_whenHeldAndWaitedFor_showsHoldersWaitersAndMinimumHolds() throws Exception {
        holding("nightly-report");
        waiting("nightly-report", 1);
        waiting("nightly-report", 2);
        assertThat(run("--at-least", "1h", "kept", "--", "true").exitStatus()).isZero();

        CliInvocation table = invoke("list");
        CliInvocation json = invoke("list", "--json");
        CliInvocation prefix = invoke("list", "--json", "kep");
        CliInvocation nothing = invoke("list", "--json", "other");

        assertThat(table.exitStatus()).as(table.stderr()).isZero();
        assertThat(table.stderr()).isEmpty();
        List<String> lines = table.stdout().lines().toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).matches("NAME +HOLDER +SINCE +UNTIL +TOKEN");
        assertThat(lines.get(1)).matches("kept +\\(minimum hold\\) +.*\\(in [1-9]\\d min\\)");
        assertThat(lines.get(2))
                .startsWith("nightly-report ")
                .contains(" " + OWNER)
                .endsWith(" " + token());
        assertThat(lines.get(3)).startsWith("  waiting 1 ").contains(" " + OWNER);
        assertThat(lines.get(4)).startsWith("  waiting 2 ").contains(" " + OWNER);

        JsonArray locks = array(json);
        JsonObject kept = locks.get(0).getAsJsonObject();
        assertThat(kept.getAsJsonArray("holders")).isEmpty();
        assertThat(Instant.parse(kept.get("keptUntil").getAsString()))
                .isAfter(Instant.now().plus(Duration.ofMinutes(30)));
        JsonObject held = locks.get(1).getAsJsonObject();
        assertThat(held.get("name").getAsString()).isEqualTo("nightly-report");
        JsonObject by = held.getAsJsonArray("holders").get(0).getAsJsonObject();
        assertThat(by.get("owner").getAsString()).startsWith(OWNER);
        assertThat(by.get("fencingToken").getAsString()).isEqualTo(token());
        assertThat(Instant.parse(by.get("since").getAsString()))
                .isBefore(Instant.parse(by.get("until").getAsString()));
        assertThat(held.getAsJsonArray("waiters").asList().stream()
                        .map(each -> each.getAsJsonObject().get("owner").getAsString()))
                .hasSize(2)
                .allMatch(owner -> owner.startsWith(OWNER));

        // The name only: a store that knows the remaining time computes the end anew for each listing.
        assertThat(array(prefix).asList().stream()
                        .map(each -> each.getAsJsonObject().get("name").getAsString()))
                .containsExactly("kept");
        assertThat(array(nothing)).isEmpty();
        assertThat(nothing.stderr()).startsWith("lock: no lock is held or waited for");
    }

    @Test
    void release_whenForced_holderExitsWith76AndNextWaiterRuns() throws Exception {
        Files.writeString(config, TestStores.forBriefLeases(Files.readString(config)));
        InProcessRun holder = holding("a", "--lease", briefLease());
        String token = token();
        InProcessRun waiter = waiting("a", 1);

        CliInvocation release = invoke("release", "--force", "--yes", "--json", "a");

        assertThat(release.exitStatus()).as(release.stderr()).isZero();
        assertThat(release.stderr())
                .containsSubsequence(
                        "lock: 'a' is held by " + OWNER,
                        "fencing token " + token,
                        "at its next renewal",
                        "lock: released 'a', held by " + OWNER);
        JsonObject json = release.json();
        assertThat(json.get("outcome").getAsString()).isEqualTo("released");
        assertThat(json.getAsJsonObject("before")
                        .getAsJsonArray("holders")
                        .get(0)
                        .getAsJsonObject()
                        .get("fencingToken")
                        .getAsString())
                .isEqualTo(token);
        assertThat(waiter.exitStatus()).as(waiter.stderr()).isZero();
        assertThat(Long.parseLong(waiter.stdout().strip())).isGreaterThan(Long.parseLong(token));
        assertThat(holder.exitStatus()).as(holder.stderr()).isEqualTo(76);
        assertThat(holder.stderr()).contains("lock: lost 'a' in the ", "released by force");
    }

    /** A lease that is renewed soon, as far as the store allows. */
    String briefLease() {
        return "30s";
    }

    /** Starts a run that holds a lock until it is ended. */
    private InProcessRun holding(String name, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(
                List.of(name, "--", "sh", "-c", "echo $HOLDFAST_TOKEN >\"$0\"; exec sleep 1000", held().toString()));
        InProcessRun run = run(words.toArray(String[]::new));
        run.awaitLine(held());
        return run;
    }

    /** Starts a run that waits in the queue; once it is granted the lock, it prints its token. */
    private InProcessRun waiting(String name, int place) throws Exception {
        InProcessRun waiting = run(name, "--", "printenv", "HOLDFAST_TOKEN");
        try (LockAdmin admin = LockAdmin.of(config)) {
            waiting.await(place + " waiting", () -> waiters(admin, name) == place);
        }
        return waiting;
    }

    private static int waiters(LockAdmin admin, String name) {
        try (Stream<LockInfo> locks = admin.locks(name)) {
            return locks.mapToInt(lock -> lock.waiters().size()).sum();
        }
    }

    private Path held() {
        return folder.resolve("held");
    }

    private String token() throws Exception {
        return Files.readString(held()).strip();
    }

    private static JsonArray array(CliInvocation result) {
        assertThat(result.exitStatus()).as(result.stderr()).isZero();
        return result.jsonArray();
    }
}
