package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.RedisServer;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code lock doctor}, {@code config} and {@code run} on a real Redis. */
@Tag("first-build")
class RedisDoctorIT extends CliTestBase {

    @Override
    String store() {
        return TestStores.redis();
    }

    @Test
    void doctorAndRun_whenRedisHealthy_reportNoProblem() throws Exception {
        CliInvocation doctor = invoke("doctor");
        InProcessRun run = run("a", "--", "printenv", "HOLDFAST_TOKEN");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isZero();
        assertThat(doctor.stdout())
                .contains("notifications", "commands", "server", "memory", "durability", "replication", "rights")
                .doesNotContain("ERROR", "WARNING");
        assertThat(doctor.stderr()).isEmpty();
        assertThat(run.exitStatus()).isZero();
        assertThat(run.stdout()).matches("\\d+\n");
        assertThat(run.stderr()).isEmpty();
    }

    @Test
    void doctor_whenAppendOnlyOff_warnsAboutDurability() throws Exception {
        try (RedisServer server = RedisServer.own("appendonly no")) {
            Files.writeString(config, TestStores.redis(server.uri()));

            CliInvocation doctor = invoke("doctor");

            assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(1);
            assertThat(doctor.stdout()).contains("WARNING  durability").contains("→ set appendonly to yes");
        }
    }

    @Test
    void doctorAndRun_whenRightsMissing_nameThemWithoutShowingPassword() throws Exception {
        try (RedisServer server = RedisServer.own("user app on >mistaken ~holdfast:* &* +@all -zadd")) {
            Files.writeString(config, TestStores.redis(server.uri().replace("://", "://app:mistaken@")));

            CliInvocation doctor = invoke("doctor");
            CliInvocation run = invoke("run", "a", "--", "true");
            CliInvocation settings = invoke("config");

            assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(78);
            assertThat(doctor.stdout()).contains("ACL SETUSER app +zadd");
            assertThat(run.exitStatus()).isEqualTo(78);
            assertThat(run.stderr()).contains("the user app may not use the command zadd");
            assertThat(settings.stdout()).contains("://app:****@127.0.0.1:" + server.port());
            assertThat(doctor.stdout() + doctor.stderr() + run.stderr() + settings.stdout() + settings.stderr())
                    .doesNotContain("mistaken");
        }
    }

    @Test
    void doctorAndRun_whenServerDown_exitWith69() throws Exception {
        Files.writeString(config, TestStores.redis("redis://127.0.0.1:1"));

        CliInvocation doctor = invoke("doctor");
        CliInvocation run = invoke("run", "a", "--", "true");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(69);
        assertThat(doctor.stdout()).contains("ERROR    connection").contains("127.0.0.1:1");
        assertThat(run.exitStatus()).isEqualTo(69);
        assertThat(run.stderr()).startsWith("lock: ").contains("127.0.0.1:1").hasLineCount(1);
    }
}
