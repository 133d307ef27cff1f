package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.holdfast.lock.cli.output.Table;
import org.junit.jupiter.api.Test;

/** {@code lock doctor}: its findings, and the exit status for the worst of them. */
class DoctorTest extends MemoryCliTestBase {

    @Test
    void doctor_whenWarning_printsItInCapitalsAndExitsWith1() {
        CliInvocation result = invoke("doctor");

        assertThat(result.exitStatus()).isEqualTo(1);
        assertThat(result.stdout())
                .containsPattern("(?m)^ok +connection +the store answers$")
                .containsPattern("(?m)^WARNING  store +locks in memory exclude")
                .containsPattern("(?m)^ +→ for production set lock.provider");
        assertThat(result.stdout().lines()).allMatch(line -> line.length() <= Table.PAGE_WIDTH);
        assertThat(result.stderr()).isEmpty();
    }

    @Test
    void doctor_whenConfigurationWrong_reportsFindingAndExitsWith78() {
        configure("lock.lease=3 parsecs\n");

        CliInvocation result = invoke("doctor");

        assertThat(result.exitStatus()).isEqualTo(78);
        assertThat(result.stdout())
                .startsWith("ERROR    configuration  ")
                .contains("3 parsecs")
                .contains("→ ");
        assertThat(result.stderr())
                .isEqualTo("lock: locks do not work with this store: fix the findings marked ERROR and retry\n");
    }

    @Test
    void doctorJson_always_containsWorstAndAllFields() {
        JsonObject warned = invoke("doctor", "--json").json();
        configure("lock.lease=3 parsecs\n");
        JsonObject wrong = invoke("doctor", "--json").json();

        assertThat(warned.keySet()).containsExactly("worst", "findings");
        assertThat(warned.get("worst").getAsString()).isEqualTo("warning");
        assertThat(warned.getAsJsonArray("findings"))
                .allSatisfy(finding -> assertThat(finding.getAsJsonObject().keySet())
                        .containsExactly("severity", "subject", "found", "advice"));
        assertThat(wrong.get("worst").getAsString()).isEqualTo("error");
        assertThat(wrong.getAsJsonArray("findings")).hasSize(1);
    }
}
