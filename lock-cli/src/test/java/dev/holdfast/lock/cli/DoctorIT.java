package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code lock doctor} on a real PostgreSQL: findings, advice and exit status of each kind of problem. */
@Tag("first-build")
class DoctorIT extends CliTestBase {

    private final PostgresServer server = PostgresServer.shared();
    private String url;

    @Override
    String store() throws SQLException {
        url = server.newDatabase();
        return TestStores.postgres(url, server.username(), server.password()) + "lock.namespace=app\n";
    }

    @Test
    void doctor_whenPostgresHealthy_reportsNoProblem() throws Exception {
        CliInvocation doctor = invoke("doctor");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isZero();
        assertThat(doctor.stdout())
                .contains("connection", "clock", "notifications", "commands", "schema", "replication")
                .doesNotContain("ERROR", "WARNING");
        assertThat(doctor.stderr()).isEmpty();
    }

    @Test
    void doctor_whenTableUnlogged_warnsAboutDurability() throws Exception {
        assertThat(invoke("doctor").exitStatus()).isZero();
        execute("ALTER TABLE holdfast_lock SET UNLOGGED");

        CliInvocation doctor = invoke("doctor");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(1);
        assertThat(doctor.stdout()).contains("WARNING  durability").contains("→ ALTER TABLE");
    }

    @Test
    void doctorAndList_whenServerDown_exitWith69() throws Exception {
        Files.writeString(config, TestStores.postgres("jdbc:postgresql://127.0.0.1:1/none", "nobody", "nothing"));

        CliInvocation doctor = invoke("doctor");
        CliInvocation list = invoke("list", "--json");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(69);
        assertThat(doctor.stdout()).contains("ERROR    connection").contains("127.0.0.1:1");
        assertThat(list.exitStatus()).isEqualTo(69);
        assertThat(list.stdout()).isEmpty();
        assertThat(list.stderr()).startsWith("lock: ").contains("127.0.0.1:1").hasLineCount(1);
    }

    @Test
    void doctorAndList_whenPasswordWrong_exitWith78WithoutShowingIt() throws Exception {
        Files.writeString(config, TestStores.postgres(url, server.username(), "mistaken"));

        CliInvocation doctor = invoke("doctor", "--json");
        CliInvocation list = invoke("list");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(78);
        JsonObject json = doctor.json();
        assertThat(json.get("worst").getAsString()).isEqualTo("error");
        assertThat(json.getAsJsonArray("findings"))
                .anySatisfy(finding -> assertThat(
                                finding.getAsJsonObject().get("subject").getAsString())
                        .isEqualTo("configuration"));
        assertThat(list.exitStatus()).isEqualTo(78);
        assertThat(doctor.stdout() + list.stderr()).doesNotContain("mistaken");
    }

    @Test
    void doctor_whenRightsMissing_namesThem() throws Exception {
        assertThat(invoke("doctor").exitStatus())
                .as("doctor of the owner, which creates the tables")
                .isZero();
        String role = "poor_" + url.substring(url.lastIndexOf('/') + 1);
        execute("CREATE ROLE " + role + " LOGIN PASSWORD 'poor'");
        for (String table :
                new String[] {"holdfast_lock", "holdfast_share", "holdfast_tombstone", "holdfast_token_floor"}) {
            execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO " + role);
        }
        Files.writeString(config, TestStores.postgres(url, role, "poor"));

        CliInvocation doctor = invoke("doctor");

        assertThat(doctor.exitStatus()).as(doctor.stdout()).isEqualTo(69);
        assertThat(doctor.stdout().replaceAll("\\s+", " "))
                .contains("ERROR rights the role " + role + " lacks rights")
                .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON public.holdfast_waiter TO " + role)
                .doesNotContain("holdfast_lock TO ");
        assertThat(doctor.stderr()).startsWith("lock: ").contains("ERROR");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
