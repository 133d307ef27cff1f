package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.cli.text.Table;
import org.junit.jupiter.api.Test;

/** {@code lock doctor}: its findings, and the worst of them as its status. */
class DoctorTest extends InMemory {

    @Test
    void aWarningIs1AndInCapitals() {
        Asked asked = Asked.alone("doctor", "--config", config);

        assertThat(asked.status()).isEqualTo(1);
        assertThat(asked.data())
                .containsPattern("(?m)^fine +connection +the store answers$")
                .containsPattern("(?m)^WARNING  store +locks in memory exclude")
                .containsPattern("(?m)^ +→ use it for tests; set lock.provider");
        assertThat(asked.data().lines()).allMatch(line -> line.length() <= Table.PAGE);
        assertThat(asked.said()).isEmpty();
    }

    @Test
    void aWrongConfigurationIsAFindingAsWell() {
        configured("lock.lease=3 parsecs\n");

        Asked asked = Asked.alone("doctor", "--config", config);

        assertThat(asked.status()).isEqualTo(78);
        assertThat(asked.data())
                .startsWith("ERROR    configuration  ")
                .contains("3 parsecs")
                .contains("→ ");
        assertThat(asked.said()).isEqualTo("lock: locks do not work like this: see what is marked as an ERROR\n");
    }

    @Test
    void forPrograms() {
        JsonObject fine = json(Asked.alone("doctor", "--config", config, "--json"));
        configured("lock.lease=3 parsecs\n");
        JsonObject wrong = json(Asked.alone("doctor", "--config", config, "--json"));

        assertThat(fine.keySet()).containsExactly("worst", "findings");
        assertThat(fine.get("worst").getAsString()).isEqualTo("warning");
        assertThat(fine.getAsJsonArray("findings"))
                .allSatisfy(finding -> assertThat(finding.getAsJsonObject().keySet())
                        .containsExactly("severity", "subject", "found", "advice"));
        assertThat(wrong.get("worst").getAsString()).isEqualTo("error");
        assertThat(wrong.getAsJsonArray("findings")).hasSize(1);
    }

    private static JsonObject json(Asked asked) {
        return JsonParser.parseString(asked.data()).getAsJsonObject();
    }
}
