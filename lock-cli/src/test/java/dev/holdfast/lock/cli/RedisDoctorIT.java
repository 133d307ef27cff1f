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
        Launched doctor = SlowSignals.repeated(() -> asked("doctor"), Launched::out);
        Launched run = started("a", "--", "sh", "-c", "echo $HOLDFAST_TOKEN");

        assertThat(doctor.status()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .contains("signals", "steps", "server", "memory", "durability", "replication", "rights")
                .doesNotContain("ERROR", "WARNING");
        assertThat(doctor.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out()).matches("\\d+\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void whatMakesTheServerForgetIsAWarning() throws Exception {
        try (RedisServer server = RedisServer.own("appendonly no")) {
            Files.writeString(config, RedisRuns.store(server.uri()));

            Launched doctor = asked("doctor");

            assertThat(doctor.status()).as(doctor.out()).isEqualTo(1);
            assertThat(doctor.out()).contains("WARNING  durability").contains("→ set appendonly to yes");
        }
    }

    @Test
    void rightsThatLackAreNamedAndThePasswordNever() throws Exception {
        try (RedisServer server = RedisServer.own("user app on >mistaken ~holdfast:* &* +@all -zadd")) {
            Files.writeString(config, RedisRuns.store(server.uri().replace("://", "://app:mistaken@")));

            Launched doctor = asked("doctor");
            Launched run = started("a", "--", "true");
            Launched settings = asked("config");

            assertThat(doctor.status()).as(doctor.out()).isEqualTo(78);
            assertThat(doctor.out()).contains("ACL SETUSER app +zadd");
            assertThat(run.status()).isEqualTo(78);
            assertThat(run.err()).contains("the user app may not use the commands zadd");
            assertThat(settings.out()).contains("://app:****@127.0.0.1:" + server.port());
            assertThat(doctor.out() + doctor.err() + run.err() + settings.out() + settings.err())
                    .doesNotContain("mistaken");
        }
    }

    @Test
    void aServerThatIsDownIsAnError() throws Exception {
        Files.writeString(config, RedisRuns.store("redis://127.0.0.1:1"));

        Launched doctor = asked("doctor");
        Launched run = started("a", "--", "true");

        assertThat(doctor.status()).as(doctor.out()).isEqualTo(69);
        assertThat(doctor.out()).contains("ERROR    connection").contains("127.0.0.1:1");
        assertThat(run.status()).isEqualTo(69);
        assertThat(run.err()).startsWith("lock: ").contains("127.0.0.1:1").hasLineCount(1);
    }
}
