package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** 30,000 locks are listed in a heap too small for them. */
@Tag("first-build")
class ManyLocksIT extends SqliteCliTestBase {

    private static final int MANY = 30_000;

    @Test
    void list_when30000LocksHeld_needsOnlySmallHeap() throws Exception {
        assertThat(run("a", "--", "true").exitStatus())
                .as("run that creates the tables")
                .isZero();
        hold(MANY);

        CliProcess table = start(withSmallHeap(process("list")));
        CliProcess json = start(withSmallHeap(process("list", "--json")));

        assertThat(table.exitStatus()).as(table.stderr()).isZero();
        assertThat(table.stdout()).hasLineCount(MANY + 1);
        assertThat(json.exitStatus()).as(json.stderr()).isZero();
        assertThat(JsonParser.parseString(json.stdout()).getAsJsonArray()).hasSize(MANY);
    }

    private static ProcessBuilder withSmallHeap(ProcessBuilder invocation) {
        return CliProcess.option(invocation, "-Xmx12m");
    }

    /** Inserts locks that are held until tomorrow. */
    private void hold(int count) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
                    INSERT INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state)
                    SELECT 'default', printf('%%030d', i), i, randomblob(16), 'owner', unixepoch() * 1000000,
                           (unixepoch() + 86400) * 1000000, 'held'
                    FROM n""".formatted(count));
        }
    }
}
