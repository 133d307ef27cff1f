package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.cli.text.Table;
import dev.holdfast.lock.cli.text.Times;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** {@code lock status}: who grants. */
class StatusTest extends InMemory {

    @Test
    void aStoreThatIsNoCompositeSaysSo() {
        Asked page = Asked.alone("status", "--config", config);
        JsonObject json = JsonParser.parseString(
                        Asked.alone("status", "--config", config, "--json").data())
                .getAsJsonObject();

        assertThat(page.status()).isZero();
        assertThat(page.data()).isEqualTo("memory grants, and nobody else ever does: this store is no composite\n");
        assertThat(page.said()).isEmpty();
        assertThat(json.keySet()).containsExactly("provider", "regime");
        assertThat(json.get("provider").getAsString()).isEqualTo("memory");
        assertThat(json.get("regime").isJsonNull()).isTrue();
    }

    @Test
    void whoGrantsIsSaidFirstAndThenWhy() {
        assertThat(page(status("redis", "the first reign", 4, 0))).isEqualTo("""
                        grants        redis, on behalf of jdbc
                        since         14:48:00 (12 min ago)
                        why           the first reign
                        epoch         7
                        members       4
                        regime lease  2s
                        token floor   1763737200000000, for lock.token.floor of who leaves the composite for one of its
                                      stores
                        """);
        assertThat(page(status("jdbc", "x", 4, 1)))
                .contains("jdbc itself, until redis has been well", "4, one of which cannot reach redis");
        assertThat(page(status("nobody", "x", 4, 3)))
                .contains("nobody, for a moment", "4, 3 of which cannot reach redis");
    }

    @Test
    void aTerminalObeysNoCauseAndTheLongestFitsThePage() {
        String page = page(status("jdbc", "it said \u001B[2J" + " and so on".repeat(20), 1, 0));

        assertThat(page).contains("\\u001B[2J");
        assertThat(page.lines()).allMatch(line -> line.length() <= Table.PAGE);
    }

    private static String page(RegimeStatus status) {
        Instant now = Instant.parse("2026-11-21T15:00:00Z");
        return String.join("\n", new RegimePage(new Times(() -> now, ZoneOffset.UTC)).lines(status)) + "\n";
    }

    private static RegimeStatus status(String grants, String cause, int members, int suspecting) {
        return new RegimeStatus(
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
