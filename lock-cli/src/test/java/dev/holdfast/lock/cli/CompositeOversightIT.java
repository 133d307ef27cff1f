package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.Answer;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** On a composite: {@code lock run}, {@code list}, {@code release}, {@code doctor} and {@code status}. */
class CompositeOversightIT extends Oversight {

    @Override
    String store() throws SQLException {
        return CompositeRuns.newStore() + PATIENT;
    }

    @Test
    void whoGrantsIsShownAndWhoLooksFoundsNothingAndIsNoMember() throws Exception {
        for (int i = 0; i < 2; i++) {
            Asked early = looked("status");
            assertThat(early.status()).as(early.data()).isEqualTo(78);
            assertThat(early.said()).startsWith("lock: ").hasLineCount(1);
        }
        Launched run = started("a", "--", "sh", "-c", "echo $HOLDFAST_TOKEN");
        assertThat(run.status()).as(run.err()).isZero();

        Asked page = looked("status");
        Asked json = looked("status", "--json");

        assertThat(page.status()).as(page.said()).isZero();
        assertThat(page.said()).isEmpty();
        assertThat(page.data())
                .startsWith("grants        redis, on behalf of jdbc\n")
                .contains("\nregime lease  30s\n");
        JsonObject regime =
                JsonParser.parseString(json.data()).getAsJsonObject().getAsJsonObject("regime");
        assertThat(regime.keySet())
                .containsExactly(
                        "primary",
                        "fallback",
                        "grants",
                        "epoch",
                        "since",
                        "cause",
                        "regimeLease",
                        "members",
                        "suspecting",
                        "tokenFloor");
        assertThat(regime.get("primary").getAsString()).isEqualTo("redis");
        assertThat(regime.get("fallback").getAsString()).isEqualTo("jdbc");
        assertThat(regime.get("grants").getAsString()).isEqualTo("redis");
        assertThat(Instant.parse(regime.get("since").getAsString()))
                .isBefore(Instant.now().plusSeconds(60));
        assertThat(regime.get("regimeLease").getAsString()).isEqualTo("30s");
        assertThat(regime.get("members").getAsInt()).isZero();
        long floor = Long.parseLong(regime.get("tokenFloor").getAsString());
        assertThat(Answer.Granted.fencingToken(floor, 0)).isGreaterThan(token(run));
    }

    @Test
    void theDoctorLooksAtBothStoresAndAtWhatLiesBetweenThem() throws Exception {
        Asked doctor = SlowSignals.repeated(() -> looked("doctor"), Asked::data);

        assertThat(doctor.status()).as(doctor.data()).isZero();
        assertThat(doctor.data())
                .contains("steps", "regime", "authority", "jdbc schema", "redis memory", "redis failover")
                .doesNotContain("ERROR", "WARNING");
        assertThat(doctor.said()).isEmpty();
    }

    @Test
    void withoutItsPrimaryItGoesOnAndTheDoctorSaysWhatIsMissing() throws Exception {
        try (RedisServer redis = RedisServer.own()) {
            Files.writeString(config, CompositeRuns.store(redis.uri()) + "lock.wait=1m\n");
            Launched first = started("a", "--", "sh", "-c", "echo $HOLDFAST_TOKEN");
            assertThat(first.status()).as(first.err()).isZero();
            redis.kill();

            Launched second = started("a", "--", "sh", "-c", "echo $HOLDFAST_TOKEN");
            assertThat(second.status()).as(second.err()).isZero();
            Asked status = looked("status");
            Asked doctor = looked("doctor");

            assertThat(token(second)).isGreaterThan(token(first));
            assertThat(status.data()).startsWith("grants        jdbc itself");
            assertThat(doctor.status()).as(doctor.data()).isEqualTo(1);
            assertThat(doctor.data()).contains("WARNING  redis ").contains("fine     jdbc schema");
        }
    }

    /** In this process, which is cheaper. */
    private Asked looked(String subcommand, String... arguments) {
        return Asked.alone(Stream.concat(Stream.of(subcommand, "--config", config.toString()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private static long token(Launched run) throws InterruptedException {
        return Long.parseLong(run.out().strip());
    }
}
