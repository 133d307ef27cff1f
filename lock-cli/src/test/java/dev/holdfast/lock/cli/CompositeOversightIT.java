package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.Answer;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Instant;
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
            Asked early = asked("status");
            assertThat(early.status()).as(early.data()).isEqualTo(78);
            assertThat(early.said()).startsWith("lock: ").hasLineCount(1);
        }
        RunHere run = run("a", "--", "printenv", "HOLDFAST_TOKEN");
        assertThat(run.status()).as(run.said()).isZero();

        Asked page = asked("status");
        Asked json = asked("status", "--json");

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
        Asked doctor = asked("doctor");

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
            RunHere first = run("a", "--", "printenv", "HOLDFAST_TOKEN");
            assertThat(first.status()).as(first.said()).isZero();
            redis.kill();

            RunHere second = run("a", "--", "printenv", "HOLDFAST_TOKEN");
            assertThat(second.status()).as(second.said()).isZero();
            Asked status = asked("status");
            Asked doctor = asked("doctor");

            assertThat(token(second)).isGreaterThan(token(first));
            assertThat(status.data()).startsWith("grants        jdbc itself");
            assertThat(doctor.status()).as(doctor.data()).isEqualTo(1);
            assertThat(doctor.data()).contains("WARNING  redis ").contains("fine     jdbc schema");
        }
    }

    private static long token(RunHere run) throws Exception {
        return Long.parseLong(run.out().strip());
    }
}
