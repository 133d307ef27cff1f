package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an operator sees of runs, and does to them, on a real store. */
abstract class Oversight extends Runs {

    /** A store that stands still for a while is not unavailable; the lease is as long as that asks for. */
    static final String PATIENT = "lock.lease=2m\nlock.call-timeout=30s\n";

    /** How the owner begins that a process gives. */
    private static final String OWNER = ProcessHandle.current().pid() + "@";

    @Test
    void holdersAndWaitersAreListed() throws Exception {
        holding("nightly-report");
        waiting("nightly-report", 1);
        waiting("nightly-report", 2);
        assertThat(run("--at-least", "1h", "kept", "--", "true").status()).isZero();

        Asked table = asked("list");
        Asked json = asked("list", "--json");
        Asked prefix = asked("list", "--json", "kep");
        Asked nothing = asked("list", "--json", "other");

        assertThat(table.status()).as(table.said()).isZero();
        assertThat(table.said()).isEmpty();
        List<String> lines = table.data().lines().toList();
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
        assertThat(kept.get("holder").isJsonNull()).isTrue();
        assertThat(Instant.parse(kept.get("keptUntil").getAsString()))
                .isAfter(Instant.now().plus(Duration.ofMinutes(30)));
        JsonObject held = locks.get(1).getAsJsonObject();
        assertThat(held.get("name").getAsString()).isEqualTo("nightly-report");
        JsonObject by = held.getAsJsonObject("holder");
        assertThat(by.get("owner").getAsString()).startsWith(OWNER);
        assertThat(by.get("fencingToken").getAsString()).isEqualTo(token());
        assertThat(Instant.parse(by.get("since").getAsString()))
                .isBefore(Instant.parse(by.get("until").getAsString()));
        assertThat(held.getAsJsonArray("waiters").asList().stream().map(JsonElement::getAsString))
                .hasSize(2)
                .allMatch(owner -> owner.startsWith(OWNER));

        // Not all that is shown of it: a store that knows how much is left tells until when as of each look.
        assertThat(array(prefix).asList().stream()
                        .map(each -> each.getAsJsonObject().get("name").getAsString()))
                .containsExactly("kept");
        assertThat(array(nothing)).isEmpty();
        assertThat(nothing.said()).startsWith("lock: nothing is held or waited for");
    }

    @Test
    void takenByForceTheCommandEndsWith76AndTheNextOneHasTheLock() throws Exception {
        RunHere holder = holding("a", "--lease", "30s");
        String token = token();
        RunHere waiter = waiting("a", 1);

        Asked release = asked("release", "--force", "--yes", "--json", "a");

        assertThat(release.status()).as(release.said()).isZero();
        assertThat(release.said())
                .containsSubsequence(
                        "lock: 'a' is held by " + OWNER,
                        "fencing token " + token,
                        "only at its next renewal",
                        "lock: took 'a' from " + OWNER);
        JsonObject json = JsonParser.parseString(release.data()).getAsJsonObject();
        assertThat(json.get("outcome").getAsString()).isEqualTo("taken");
        assertThat(json.getAsJsonObject("before")
                        .getAsJsonObject("holder")
                        .get("fencingToken")
                        .getAsString())
                .isEqualTo(token);
        assertThat(waiter.status()).as(waiter.said()).isZero();
        assertThat(Long.parseLong(waiter.out().strip())).isGreaterThan(Long.parseLong(token));
        assertThat(holder.status()).as(holder.said()).isEqualTo(76);
        assertThat(holder.said()).contains("lock: lost 'a': ");
    }

    /** A run that holds a lock until it is ended. */
    private RunHere holding(String name, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(
                List.of(name, "--", "sh", "-c", "echo $HOLDFAST_TOKEN >\"$0\"; exec sleep 1000", held().toString()));
        RunHere run = run(words.toArray(String[]::new));
        run.awaitLine(held());
        return run;
    }

    /** A run that waits in the queue; once it has the lock, it prints its token. */
    private RunHere waiting(String name, int place) throws Exception {
        RunHere waiting = run(name, "--", "printenv", "HOLDFAST_TOKEN");
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

    private static JsonArray array(Asked asked) {
        assertThat(asked.status()).as(asked.said()).isZero();
        return JsonParser.parseString(asked.data()).getAsJsonArray();
    }
}
