package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@code lock release --force}: shows the holder, asks, and releases only the grant that it showed. */
class ReleaseTest extends MemoryCliTestBase {

    @Test
    void release_withoutForce_isRefusedWithReason() {
        Lease lease = hold("a");

        CliInvocation result = invokeInteractively(() -> true, "release", "--yes", "a");

        assertThat(result.exitStatus()).isEqualTo(64);
        assertThat(result.stderr()).contains("may still be working").contains("--force");
        assertThat(lease.release()).isTrue();
    }

    @Test
    void release_withoutTerminalAndYes_releasesNothing() {
        Lease lease = hold("a");

        CliInvocation result = invoke("release", "--force", "a");

        assertThat(result.exitStatus()).isEqualTo(64);
        assertThat(result.stderr()).contains("no terminal").contains("--yes");
        assertThat(lease.release()).isTrue();
    }

    @Test
    void release_whenHeld_showsHolderAndConsequencesThenAsks() {
        Lease lease = hold("a");

        CliInvocation result = invokeInteractively(() -> true, "release", "--force", "a");

        assertThat(result.exitStatus()).isZero();
        assertThat(result.stderr())
                .containsSubsequence(
                        "'a' is held by ",
                        "@",
                        " since ",
                        " until ",
                        ", fencing token " + lease.fencingToken(),
                        "at its next renewal",
                        "two processes may both believe",
                        "end the holder first",
                        "released 'a', held by ");
        assertThat(result.questions())
                .singleElement()
                .asString()
                .startsWith("Take 'a' from ")
                .endsWith("?");
        assertThat(result.stdout()).isEmpty();
        assertThat(lease.release()).as("whether the lease was held to the end").isFalse();
    }

    @Test
    void release_whenDeclined_releasesNothing() {
        Lease lease = hold("a");

        CliInvocation result = invokeInteractively(() -> false, "release", "--force", "--json", "a");

        assertThat(result.exitStatus()).isEqualTo(75);
        assertThat(result.stderr()).contains("nothing was released");
        assertThat(result.json().get("outcome").getAsString()).isEqualTo("declined");
        assertThat(result.json().get("after")).isEqualTo(result.json().get("before"));
        assertThat(lease.release()).isTrue();
    }

    @Test
    void release_whenWaitedFor_namesNextHolder() throws Exception {
        hold("a");
        CompletableFuture<Lease> next = waitFor("a");

        CliInvocation result = invoke("release", "--force", "--yes", "a");

        assertThat(result.exitStatus()).isZero();
        assertThat(result.questions()).isEmpty();
        assertThat(result.stderr()).containsPattern("next in the queue is \\d+@|it is now held by \\d+@");
        assertThat(next.get().fencingToken()).isPositive();
    }

    @Test
    void release_whenFree_reportsNoHolder() {
        hold("a-longer-name");

        CliInvocation result = invokeInteractively(() -> true, "release", "--force", "--json", "a");

        assertThat(result.exitStatus()).isZero();
        assertThat(result.questions()).isEmpty();
        assertThat(result.stderr()).isEqualTo("lock: 'a' has no holder\n");
        assertThat(result.json().get("outcome").getAsString()).isEqualTo("free");
        assertThat(result.json().get("before").isJsonNull()).isTrue();
    }

    @Test
    void release_whenUnderMinimumHold_reportsKeptAndExitsWith75() throws Exception {
        newClient().named("a").withMinimumHold(Duration.ofHours(1)).acquire().close();

        CliInvocation result = invoke("release", "--force", "--yes", "--json", "a");

        assertThat(result.exitStatus()).isEqualTo(75);
        assertThat(result.stderr())
                .contains("has no holder")
                .contains("(in 59 min)")
                .contains("cannot be released");
        assertThat(result.json().get("outcome").getAsString()).isEqualTo("kept");
    }

    @Test
    void release_whenHolderChangesBeforeAnswer_releasesNothing() {
        Lease first = hold("a");
        Lease[] second = new Lease[1];

        CliInvocation result = invokeInteractively(
                () -> {
                    first.close();
                    second[0] = hold("a");
                    return true;
                },
                "release",
                "--force",
                "--json",
                "a");

        assertThat(result.exitStatus()).isEqualTo(75);
        assertThat(result.stderr()).contains("another holder by now").contains("token " + second[0].fencingToken());
        JsonObject json = result.json();
        assertThat(json.get("outcome").getAsString()).isEqualTo("changed");
        assertThat(token(json, "before")).isEqualTo(Long.toString(first.fencingToken()));
        assertThat(token(json, "after")).isEqualTo(Long.toString(second[0].fencingToken()));
        assertThat(second[0].release()).isTrue();
    }

    @Test
    void release_whenHolderReleasesBeforeAnswer_reportsNoHolder() {
        Lease lease = hold("a");

        CliInvocation result = invokeInteractively(
                () -> {
                    lease.close();
                    return true;
                },
                "release",
                "--force",
                "a");

        assertThat(result.exitStatus()).isZero();
        assertThat(result.stderr()).endsWith("lock: 'a' has no holder\n").doesNotContain("released");
    }

    @Test
    void release_whenSeveralHold_takesFromTheOneOfTheTokenOnly() throws Exception {
        Lease one = newClient().named("a").shared().acquire();
        Lease other = newClient().named("a").shared().acquire();

        CliInvocation ambiguous = invoke("release", "--force", "--yes", "--json", "a");
        CliInvocation unknown = invoke("release", "--force", "--yes", "--json", "--token", "7", "a");
        CliInvocation exact =
                invoke("release", "--force", "--yes", "--json", "--token", "" + other.fencingToken(), "a");

        assertThat(ambiguous.exitStatus()).isEqualTo(64);
        assertThat(ambiguous.stderr())
                .contains("'a' has 2 holders: name one by --token")
                .contains("(shared) since ", "fencing token " + one.fencingToken())
                .contains("fencing token " + other.fencingToken());
        assertThat(ambiguous.json().get("outcome").getAsString()).isEqualTo("ambiguous");
        assertThat(unknown.exitStatus()).isEqualTo(75);
        assertThat(unknown.stderr()).contains("no holder with the fencing token 7");
        assertThat(exact.exitStatus()).as(exact.stderr()).isZero();
        assertThat(exact.stderr()).containsPattern("it is still held by .* fencing token " + one.fencingToken());
        assertThat(token(exact.json(), "after")).isEqualTo(Long.toString(one.fencingToken()));
        assertThat(one.release()).isTrue();
        assertThat(other.release()).as("whether the lease was held to the end").isFalse();
    }

    @Test
    void releaseJson_always_containsAllFields() {
        Lease lease = hold("a");

        JsonObject json = invoke("release", "--force", "--yes", "--json", "a").json();

        assertThat(json.keySet()).containsExactly("name", "outcome", "before", "after");
        assertThat(json.get("name").getAsString()).isEqualTo("a");
        assertThat(json.get("outcome").getAsString()).isEqualTo("released");
        assertThat(token(json, "before")).isEqualTo(Long.toString(lease.fencingToken()));
        assertThat(json.get("after").isJsonNull()).isTrue();
    }

    private static String token(JsonObject json, String when) {
        return json.getAsJsonObject(when)
                .getAsJsonArray("holders")
                .get(0)
                .getAsJsonObject()
                .get("fencingToken")
                .getAsString();
    }
}
