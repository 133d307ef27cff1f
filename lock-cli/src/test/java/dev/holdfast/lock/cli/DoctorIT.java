package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** {@code lock doctor} beside a real PostgreSQL: what is wrong, what to do about it, and a status for each kind. */
class DoctorIT extends Runs {

    private final PostgresServer server = PostgresServer.shared();
    private String url;

    @Override
    String store() throws SQLException {
        url = server.newDatabase();
        return PostgresRuns.store(url, server.username(), server.password()) + "lock.namespace=app\n"
                + Oversight.PATIENT;
    }

    @Test
    void allIsWell() throws Exception {
        Asked doctor = asked("doctor");

        assertThat(doctor.status()).as(doctor.data()).isZero();
        assertThat(doctor.data())
                .contains("connection", "clock", "signals", "steps", "schema", "replication")
                .doesNotContain("ERROR", "WARNING");
        assertThat(doctor.said()).isEmpty();
    }

    @Test
    void whatACrashWouldUndoIsAWarning() throws Exception {
        assertThat(asked("doctor").status()).isZero();
        execute("ALTER TABLE holdfast_lock SET UNLOGGED");

        Asked doctor = asked("doctor");

        assertThat(doctor.status()).as(doctor.data()).isEqualTo(1);
        assertThat(doctor.data()).contains("WARNING  durability").contains("→ ALTER TABLE");
    }

    @Test
    void aServerThatIsDownIsAnError() throws Exception {
        Files.writeString(config, PostgresRuns.store("jdbc:postgresql://127.0.0.1:1/none", "nobody", "nothing"));

        Asked doctor = asked("doctor");
        Asked list = asked("list", "--json");

        assertThat(doctor.status()).as(doctor.data()).isEqualTo(69);
        assertThat(doctor.data()).contains("ERROR    connection").contains("127.0.0.1:1");
        assertThat(list.status()).isEqualTo(69);
        assertThat(list.data()).isEmpty();
        assertThat(list.said()).startsWith("lock: ").contains("127.0.0.1:1").hasLineCount(1);
    }

    @Test
    void aWrongPasswordIsAConfigurationThatWasRefused() throws Exception {
        Files.writeString(config, PostgresRuns.store(url, server.username(), "mistaken"));

        Asked doctor = asked("doctor", "--json");
        Asked list = asked("list");

        assertThat(doctor.status()).as(doctor.data()).isEqualTo(78);
        JsonObject json = JsonParser.parseString(doctor.data()).getAsJsonObject();
        assertThat(json.get("worst").getAsString()).isEqualTo("error");
        assertThat(json.getAsJsonArray("findings"))
                .anySatisfy(finding -> assertThat(
                                finding.getAsJsonObject().get("subject").getAsString())
                        .isEqualTo("configuration"));
        assertThat(list.status()).isEqualTo(78);
        assertThat(doctor.data() + list.said()).doesNotContain("mistaken");
    }

    @Test
    void rightsThatLackAreNamed() throws Exception {
        assertThat(asked("doctor").status())
                .as("the owner's, which makes the tables")
                .isZero();
        String role = "poor_" + url.substring(url.lastIndexOf('/') + 1);
        execute("CREATE ROLE " + role + " LOGIN PASSWORD 'poor'");
        for (String table : new String[] {"holdfast_lock", "holdfast_released", "holdfast_floor"}) {
            execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO " + role);
        }
        Files.writeString(config, PostgresRuns.store(url, role, "poor"));

        Asked doctor = asked("doctor");

        assertThat(doctor.status()).as(doctor.data()).isEqualTo(69);
        assertThat(doctor.data().replaceAll("\\s+", " "))
                .contains("ERROR rights the role " + role + " lacks rights")
                .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON public.holdfast_waiter TO " + role)
                .doesNotContain("holdfast_lock TO ");
        assertThat(doctor.said()).startsWith("lock: ").contains("ERROR");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
