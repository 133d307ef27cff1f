package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.server.RedisServer;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** {@code lock doctor}, {@code config} and {@code run} beside a real Redis. */
class RedisDoctorIT extends Runs {

    @Override
    String store() {
        return RedisRuns.newStore() + Oversight.PATIENT;
    }

    @Test
    void allIsWell() throws Exception {
        Asked doctor = asked("doctor");
        RunHere run = run("a", "--", "printenv", "HOLDFAST_TOKEN");

        assertThat(doctor.status()).as(doctor.data()).isZero();
        assertThat(doctor.data())
                .contains("signals", "steps", "server", "memory", "durability", "replication", "rights")
                .doesNotContain("ERROR", "WARNING");
        assertThat(doctor.said()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out()).matches("\\d+\n");
        assertThat(run.said()).isEmpty();
    }

    @Test
    void whatMakesTheServerForgetIsAWarning() throws Exception {
        try (RedisServer server = RedisServer.own("appendonly no")) {
            Files.writeString(config, RedisRuns.store(server.uri()));

            Asked doctor = asked("doctor");

            assertThat(doctor.status()).as(doctor.data()).isEqualTo(1);
            assertThat(doctor.data()).contains("WARNING  durability").contains("→ set appendonly to yes");
        }
    }

    @Test
    void rightsThatLackAreNamedAndThePasswordNever() throws Exception {
        try (RedisServer server = RedisServer.own("user app on >mistaken ~holdfast:* &* +@all -zadd")) {
            Files.writeString(config, RedisRuns.store(server.uri().replace("://", "://app:mistaken@")));

            Asked doctor = asked("doctor");
            Asked run = asked("run", "a", "--", "true");
            Asked settings = asked("config");

            assertThat(doctor.status()).as(doctor.data()).isEqualTo(78);
            assertThat(doctor.data()).contains("ACL SETUSER app +zadd");
            assertThat(run.status()).isEqualTo(78);
            assertThat(run.said()).contains("the user app may not use the commands zadd");
            assertThat(settings.data()).contains("://app:****@127.0.0.1:" + server.port());
            assertThat(doctor.data() + doctor.said() + run.said() + settings.data() + settings.said())
                    .doesNotContain("mistaken");
        }
    }

    @Test
    void aServerThatIsDownIsAnError() throws Exception {
        Files.writeString(config, RedisRuns.store("redis://127.0.0.1:1"));

        Asked doctor = asked("doctor");
        Asked run = asked("run", "a", "--", "true");

        assertThat(doctor.status()).as(doctor.data()).isEqualTo(69);
        assertThat(doctor.data()).contains("ERROR    connection").contains("127.0.0.1:1");
        assertThat(run.status()).isEqualTo(69);
        assertThat(run.said()).startsWith("lock: ").contains("127.0.0.1:1").hasLineCount(1);
    }
}
