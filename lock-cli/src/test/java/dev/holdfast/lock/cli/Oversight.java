package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.QueueTimes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an operator sees of runs, and does to them, from another process. */
abstract class Oversight extends Runs {

    /** A store that stands still for a while is not unavailable; the lease is as long as that asks for. */
    static final String PATIENT = "lock.lease=2m\nlock.call-timeout=30s\n";

    /** A ticket that is refreshed so late still counts. */
    private static final Duration TICKETS_LAST = QueueTimes.TICKET.dividedBy(3);

    @Test
    void whoHoldsAndWhoWaitsIsListed() throws Exception {
        attempts(TICKETS_LAST, this::holdersAndWaitersAreListed);
    }

    private void holdersAndWaitersAreListed() throws Exception {
        Launched holder = holding("nightly-report");
        Launched first = waiting("nightly-report", 1);
        Launched second = waiting("nightly-report", 2);
        assertThat(started("--at-least", "1h", "kept", "--", "true").status()).isZero();

        Launched table = asked("list");
        Launched json = asked("list", "--json");
        Launched prefix = asked("list", "--json", "kep");
        Launched nothing = asked("list", "--json", "other");

        assertThat(table.status()).as(table.err()).isZero();
        assertThat(table.err()).isEmpty();
        List<String> lines = table.out().lines().toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).matches("NAME +HOLDER +SINCE +UNTIL +TOKEN");
        assertThat(lines.get(1)).matches("kept +\\(minimum hold\\) +.*\\(in 59 min\\)");
        assertThat(lines.get(2))
                .startsWith("nightly-report ")
                .contains(" " + owner(holder))
                .endsWith(" " + token());
        assertThat(lines.get(3)).startsWith("  waiting 1 ").contains(" " + owner(first));
        assertThat(lines.get(4)).startsWith("  waiting 2 ").contains(" " + owner(second));

        JsonArray locks = array(json);
        JsonObject kept = locks.get(0).getAsJsonObject();
        assertThat(kept.get("holder").isJsonNull()).isTrue();
        assertThat(Instant.parse(kept.get("keptUntil").getAsString()))
                .isAfter(Instant.now().plus(Duration.ofMinutes(30)));
        JsonObject held = locks.get(1).getAsJsonObject();
        assertThat(held.get("name").getAsString()).isEqualTo("nightly-report");
        JsonObject by = held.getAsJsonObject("holder");
        assertThat(by.get("owner").getAsString()).startsWith(owner(holder));
        assertThat(by.get("fencingToken").getAsString()).isEqualTo(token());
        assertThat(Instant.parse(by.get("since").getAsString()))
                .isBefore(Instant.parse(by.get("until").getAsString()));
        assertThat(held.getAsJsonArray("waiters").asList().stream().map(JsonElement::getAsString))
                .satisfiesExactly(
                        owner -> assertThat(owner).startsWith(owner(first)),
                        owner -> assertThat(owner).startsWith(owner(second)));

        // Not all that is shown of it: a store that knows how much is left tells until when as of each look.
        assertThat(array(prefix).asList().stream()
                        .map(each -> each.getAsJsonObject().get("name").getAsString()))
                .containsExactly("kept");
        assertThat(array(nothing)).isEmpty();
        assertThat(nothing.err()).startsWith("lock: nothing is held or waited for");
    }

    @Test
    void takenByForceTheCommandEndsWith76AndWhoWaitedHasTheLock() throws Exception {
        Launched holder = holding("a", "--lease", "30s");
        String token = token();
        Launched waiter = waiting("a", 1);

        Launched release = asked("release", "--force", "--yes", "--json", "a");

        assertThat(release.status()).as(release.err()).isZero();
        assertThat(release.err())
                .containsSubsequence(
                        "lock: 'a' is held by " + owner(holder),
                        "fencing token " + token,
                        "only at its next renewal",
                        "lock: took 'a' from " + owner(holder),
                        owner(waiter));
        JsonObject json = JsonParser.parseString(release.out()).getAsJsonObject();
        assertThat(json.get("outcome").getAsString()).isEqualTo("taken");
        assertThat(json.getAsJsonObject("before")
                        .getAsJsonObject("holder")
                        .get("fencingToken")
                        .getAsString())
                .isEqualTo(token);
        assertThat(waiter.status()).as(waiter.err()).isZero();
        assertThat(Long.parseLong(waiter.out().strip())).isGreaterThan(Long.parseLong(token));
        assertThat(holder.status()).as(holder.err()).isEqualTo(76);
        assertThat(holder.err()).contains("lock: lost 'a': ");
    }

    @Test
    void nobodyIsThereToBeAskedSoNothingIsTaken() throws Exception {
        holding("a");

        Launched release = asked("release", "--force", "a");

        assertThat(release.status()).isEqualTo(64);
        assertThat(release.err()).contains("no terminal");
        assertThat(array(asked("list", "--json", "a"))).hasSize(1);
    }

    /** A run that holds a lock until it is killed. */
    private Launched holding(String name, String... options) throws Exception {
        ProcessBuilder run = run(options);
        run.command().addAll(List.of(name, "--", "sh", "-c", "echo $HOLDFAST_TOKEN >" + held() + "; exec sleep 1000"));
        Launched started = start(run);
        started.awaitLine(held());
        return started;
    }

    /** A run that waits in the queue; once it has the lock, it prints its token. */
    private Launched waiting(String name, int place) throws Exception {
        Launched waiting = started(name, "--", "sh", "-c", "echo $HOLDFAST_TOKEN");
        try (LockAdmin admin = LockAdmin.of(config)) {
            waiting.await(place + " who wait", () -> waiters(admin, name) == place);
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

    /** How the owner begins that a process gives. */
    private static String owner(Launched run) {
        return run.process().pid() + "@";
    }

    private static JsonArray array(Launched asked) throws InterruptedException {
        assertThat(asked.status()).as(asked.err()).isZero();
        return JsonParser.parseString(asked.out()).getAsJsonArray();
    }
}
