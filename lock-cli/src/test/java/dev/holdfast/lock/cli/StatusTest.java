package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.cli.output.Table;
import dev.holdfast.lock.cli.output.TimeText;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** {@code lock status}: which store grants. */
class StatusTest extends MemoryCliTestBase {

    @Test
    void status_whenNotComposite_saysSo() {
        CliInvocation page = invoke("status");
        JsonObject json = invoke("status", "--json").json();

        assertThat(page.exitStatus()).isZero();
        assertThat(page.stdout()).isEqualTo("memory grants all locks: this store is not a composite\n");
        assertThat(page.stderr()).isEmpty();
        assertThat(json.keySet()).containsExactly("provider", "failover");
        assertThat(json.get("provider").getAsString()).isEqualTo("memory");
        assertThat(json.get("failover").isJsonNull()).isTrue();
    }

    @Test
    void page_whenComposite_showsGrantingStoreFirstThenCause() {
        assertThat(page(status("redis", "initialized", 4, 0))).isEqualTo("""
                        grants           redis, the primary, while jdbc is the fallback
                        since            14:48:00 (12 min ago)
                        cause            initialized
                        epoch            7
                        members          4
                        authority lease  2s
                        token floor      1763737200000000, the lock.token-floor for leaving the composite for one of its
                                         stores
                        """);
        assertThat(page(status("jdbc", "x", 4, 1)))
                .contains("jdbc, the fallback, until redis has been healthy", "4, one of which cannot reach redis");
        assertThat(page(status("none", "x", 4, 3)))
                .contains("no store, during a transition", "4, 3 of which cannot reach redis");
    }

    @Test
    void page_whenCauseHasControlsAndIsLong_escapesItAndFitsPage() {
        String page = page(status("jdbc", "it said \u001B[2J" + " and so on".repeat(20), 1, 0));

        assertThat(page).contains("\\u001B[2J");
        assertThat(page.lines()).allMatch(line -> line.length() <= Table.PAGE_WIDTH);
    }

    private static String page(FailoverStatus status) {
        Instant now = Instant.parse("2026-11-21T15:00:00Z");
        return String.join("\n", StatusCommand.page(status, new TimeText(() -> now, ZoneOffset.UTC))) + "\n";
    }

    private static FailoverStatus status(String grants, String cause, int members, int suspecting) {
        return new FailoverStatus(
                "redis",
                "jdbc",
                grants,
                7,
                Instant.parse("2026-11-21T14:48:00Z"),
                cause,
                Duration.ofSeconds(2),
                members,
                suspecting,
                1_763_737_200_000_000L);
    }
}
