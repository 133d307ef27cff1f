package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** 30,000 locks are listed in a heap that could not hold them. */
class ManyLocksIT extends SqliteRuns {

    private static final int MANY = 30_000;

    @Test
    void areListedInASmallHeap() throws Exception {
        assertThat(run("a", "--", "true").status()).as("makes the tables").isZero();
        hold(MANY);

        Launched table = start(small(lock("list")));
        Launched json = start(small(lock("list", "--json")));

        assertThat(table.status()).as(table.err()).isZero();
        assertThat(table.out()).hasLineCount(MANY + 1);
        assertThat(json.status()).as(json.err()).isZero();
        assertThat(JsonParser.parseString(json.out()).getAsJsonArray()).hasSize(MANY);
    }

    private static ProcessBuilder small(ProcessBuilder asking) {
        return Launched.option(asking, "-Xmx12m");
    }

    /** All held until tomorrow. */
    private void hold(int count) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database());
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
                    INSERT INTO holdfast_lock (namespace, name, token, id, owner, since, until, state)
                    SELECT 'default', printf('%%030d', i), i, randomblob(16), 'owner', unixepoch() * 1000000,
                           (unixepoch() + 86400) * 1000000, 'held'
                    FROM n""".formatted(count));
        }
    }
}
