package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@code lock release --force}: says what it is about, asks, and takes from nobody but whom it showed. */
class ReleaseTest extends InMemory {

    @Test
    void withoutForceItRefusesAndSaysWhy() {
        Lease lease = held("a");

        Asked asked = Asked.with(() -> true, "release", "--config", config, "--yes", "a");

        assertThat(asked.status()).isEqualTo(64);
        assertThat(asked.said()).contains("may still be at work").contains("--force");
        assertThat(lease.release()).isTrue();
    }

    @Test
    void withoutATerminalItTakesNothingUnlessYesIsSaid() {
        Lease lease = held("a");

        Asked asked = Asked.alone("release", "--config", config, "--force", "a");

        assertThat(asked.status()).isEqualTo(64);
        assertThat(asked.said()).contains("no terminal").contains("--yes");
        assertThat(lease.release()).isTrue();
    }

    @Test
    void saysFromWhomAndWhatThatMeansThenAsks() {
        Lease lease = held("a");

        Asked asked = Asked.with(() -> true, "release", "--config", config, "--force", "a");

        assertThat(asked.status()).isZero();
        assertThat(asked.said())
                .containsSubsequence(
                        "'a' is held by ",
                        "@",
                        " since ",
                        " until ",
                        ", fencing token " + lease.fencingToken(),
                        "only at its next renewal",
                        "two may believe",
                        "end the holder first",
                        "took 'a' from ");
        assertThat(asked.questions())
                .singleElement()
                .asString()
                .startsWith("Take 'a' from ")
                .endsWith("?");
        assertThat(asked.data()).isEmpty();
        assertThat(lease.release()).as("whether it was held to the end").isFalse();
    }

    @Test
    void noMeansNo() {
        Lease lease = held("a");

        Asked asked = Asked.with(() -> false, "release", "--config", config, "--force", "--json", "a");

        assertThat(asked.status()).isEqualTo(75);
        assertThat(asked.said()).contains("nothing was taken");
        assertThat(json(asked).get("outcome").getAsString()).isEqualTo("declined");
        assertThat(json(asked).get("after")).isEqualTo(json(asked).get("before"));
        assertThat(lease.release()).isTrue();
    }

    @Test
    void whoWaitedIsNamedAsTheNextOrHoldsItAlready() throws Exception {
        held("a");
        CompletableFuture<Lease> next = waitedFor("a");

        Asked asked = Asked.alone("release", "--config", config, "--force", "--yes", "a");

        assertThat(asked.status()).isZero();
        assertThat(asked.questions()).isEmpty();
        assertThat(asked.said()).containsPattern("next in the queue is \\d+@|it is held by \\d+@");
        assertThat(next.get().fencingToken()).isPositive();
    }

    @Test
    void nobodyHoldsIt() {
        held("a-longer-name");

        Asked asked = Asked.with(() -> true, "release", "--config", config, "--force", "--json", "a");

        assertThat(asked.status()).isZero();
        assertThat(asked.questions()).isEmpty();
        assertThat(asked.said()).isEqualTo("lock: nobody holds 'a'\n");
        assertThat(json(asked).get("outcome").getAsString()).isEqualTo("free");
        assertThat(json(asked).get("before").isJsonNull()).isTrue();
    }

    @Test
    void whatAMinimumHoldKeepsCannotBeTaken() throws Exception {
        locks().named("a").withMinimumHold(Duration.ofHours(1)).acquire().close();

        Asked asked = Asked.alone("release", "--config", config, "--force", "--yes", "--json", "a");

        assertThat(asked.status()).isEqualTo(75);
        assertThat(asked.said())
                .contains("held by nobody")
                .contains("(in 59 min)")
                .contains("cannot be taken");
        assertThat(json(asked).get("outcome").getAsString()).isEqualTo("kept");
    }

    @Test
    void whoHoldsItByTheTimeOfTheAnswerKeepsIt() {
        Lease first = held("a");
        Lease[] second = new Lease[1];

        Asked asked = Asked.with(
                () -> {
                    first.close();
                    second[0] = held("a");
                    return true;
                },
                "release",
                "--config",
                config,
                "--force",
                "--json",
                "a");

        assertThat(asked.status()).isEqualTo(75);
        assertThat(asked.said()).contains("another holder by now").contains("token " + second[0].fencingToken());
        JsonObject json = json(asked);
        assertThat(json.get("outcome").getAsString()).isEqualTo("changed");
        assertThat(token(json, "before")).isEqualTo(Long.toString(first.fencingToken()));
        assertThat(token(json, "after")).isEqualTo(Long.toString(second[0].fencingToken()));
        assertThat(second[0].release()).isTrue();
    }

    @Test
    void whoGaveItBackByTheTimeOfTheAnswerIsNotTakenFrom() {
        Lease lease = held("a");

        Asked asked = Asked.with(
                () -> {
                    lease.close();
                    return true;
                },
                "release",
                "--config",
                config,
                "--force",
                "a");

        assertThat(asked.status()).isZero();
        assertThat(asked.said()).endsWith("lock: nobody holds 'a'\n").doesNotContain("took");
    }

    @Test
    void forPrograms() {
        Lease lease = held("a");

        JsonObject json = json(Asked.alone("release", "--config", config, "--force", "--yes", "--json", "a"));

        assertThat(json.keySet()).containsExactly("name", "outcome", "before", "after");
        assertThat(json.get("name").getAsString()).isEqualTo("a");
        assertThat(json.get("outcome").getAsString()).isEqualTo("taken");
        assertThat(token(json, "before")).isEqualTo(Long.toString(lease.fencingToken()));
        assertThat(json.get("after").isJsonNull()).isTrue();
    }

    private static JsonObject json(Asked asked) {
        return JsonParser.parseString(asked.data()).getAsJsonObject();
    }

    private static String token(JsonObject json, String when) {
        return json.getAsJsonObject(when)
                .getAsJsonObject("holder")
                .get("fencingToken")
                .getAsString();
    }
}
