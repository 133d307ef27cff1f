package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockReply;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Operators' subcommands and {@code lock run} on a composite. */
@Execution(ExecutionMode.CONCURRENT) // one waits for a failover
@Order(1)
class CompositeOperatorIT extends OperatorContract {

    @Override
    String store() throws SQLException {
        return TestStores.composite();
    }

    @Test
    void status_whenComposite_showsGrantingStoreWithoutCreatingOrJoining() throws Exception {
        for (int i = 0; i < 2; i++) {
            CliInvocation early = invoke("status");
            assertThat(early.exitStatus()).as(early.stdout()).isEqualTo(78);
            assertThat(early.stderr()).startsWith("lock: ").hasLineCount(1);
        }
        InProcessRun run = run("a", "--", "printenv", "HOLDFAST_TOKEN");
        assertThat(run.exitStatus()).as(run.stderr()).isZero();

        CliInvocation page = invoke("status");
        CliInvocation json = invoke("status", "--json");

        assertThat(page.exitStatus()).as(page.stderr()).isZero();
        assertThat(page.stderr()).isEmpty();
        assertThat(page.stdout())
                .startsWith("grants           redis, the primary, while jdbc is the fallback\n")
                .contains("\nauthority lease  30s\n");
        JsonObject failover = json.json().getAsJsonObject("failover");
        assertThat(failover.keySet())
                .containsExactly(
                        "primary",
                        "fallback",
                        "grants",
                        "epoch",
                        "since",
                        "cause",
                        "authorityLease",
                        "members",
                        "suspecting",
                        "tokenFloor");
        assertThat(failover.get("primary").getAsString()).isEqualTo("redis");
        assertThat(failover.get("fallback").getAsString()).isEqualTo("jdbc");
        assertThat(failover.get("grants").getAsString()).isEqualTo("redis");
        assertThat(Instant.parse(failover.get("since").getAsString()))
                .isBefore(Instant.now().plusSeconds(60));
        assertThat(failover.get("authorityLease").getAsString()).isEqualTo("30s");
        assertThat(failover.get("members").getAsInt()).isZero();
        long floor = Long.parseLong(failover.get("tokenFloor").getAsString());
        assertThat(LockReply.Granted.fencingToken(floor, 0)).isGreaterThan(token(run));
    }

    @Test
    void doctor_whenComposite_checksBothStoresAndFailover() throws Exception {
        CliInvocation doctor = invoke("doctor");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isZero();
        assertThat(doctor.stdout())
                .contains("commands", "failover", "authority", "jdbc schema", "redis memory", "redis failover")
                .doesNotContain("ERROR", "WARNING");
        assertThat(doctor.stderr()).isEmpty();
    }

    @Test
    void run_whenPrimaryDown_fallbackGrantsAndDoctorWarns() throws Exception {
        try (RedisServer redis = RedisServer.own()) {
            Files.writeString(config, TestStores.composite(redis.uri()) + "lock.acquire-timeout=3m\n");
            InProcessRun first = run("a", "--", "printenv", "HOLDFAST_TOKEN");
            assertThat(first.exitStatus()).as(first.stderr()).isZero();
            redis.kill();

            InProcessRun second = run("a", "--", "printenv", "HOLDFAST_TOKEN");
            assertThat(second.exitStatus()).as(second.stderr()).isZero();
            CliInvocation status = invoke("status");
            CliInvocation doctor = invoke("doctor");

            assertThat(token(second)).isGreaterThan(token(first));
            assertThat(status.stdout()).startsWith("grants           jdbc, the fallback");
            assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(1);
            assertThat(doctor.stdout()).contains("WARNING  redis ").contains("ok       jdbc schema");
        }
    }

    private static long token(InProcessRun run) throws Exception {
        return Long.parseLong(run.stdout().strip());
    }

    /** Its authority lease and calls take so long that it keeps no shorter one through a failover. */
    @Override
    String briefLease() {
        return "2m";
    }
}
