package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Diagnosed.examine;
import static dev.holdfast.lock.jdbc.Diagnosed.weaknesses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.Finding;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a real PgBouncer refuses, and what the doctor finds about it: {@code -Dlock.test.pgbouncer.program} names it. */
@Tag("first-build")
class PgBouncerTest {

    private static final boolean IS_OF_SESSIONS =
            System.getProperty("lock.test.pgbouncer.mode", "session").equals("session");

    private static Map<String, String> settings(String... more) throws SQLException {
        Postgres database = Postgres.database();
        database.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        return database.settings(more);
    }

    @BeforeAll
    static void isGiven() {
        assumeTrue(System.getProperty("lock.test.pgbouncer.program") != null);
    }

    @Test
    void diagnose_behindPgBouncer_warnsUnlessItIsInSessionMode() throws SQLException {
        List<Finding> found = weaknesses(settings("lock.namespace", "app"));
        if (IS_OF_SESSIONS) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found)
                    .as("%s", found)
                    .extracting(Finding::subject)
                    .contains("pooler")
                    .isSubsetOf("pooler", "notifications");
            assertThat(found)
                    .filteredOn(finding -> finding.subject().equals("pooler"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.advice()).contains("pool_mode=session"));
        }
    }

    @Test
    void open_whenPgBouncerRefusesTheSearchPath_isNoOutage() throws SQLException {
        String url = Postgres.database().url() + "?currentSchema=locks";
        assertThatThrownBy(() -> Opened.store(settings("lock.jdbc.url", url)).close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("unsupported startup parameter: search_path");
    }

    @Test
    void open_withAWrongPassword_isNoOutage() throws SQLException {
        Map<String, String> wrong = settings("lock.jdbc.password", "wrong");
        assertThatThrownBy(() -> Opened.store(wrong).close()).isInstanceOf(LockConfigurationException.class);
        assertThat(examine(wrong))
                .filteredOn(finding -> finding.severity() == Finding.Severity.ERROR)
                .singleElement()
                .satisfies(finding -> assertThat(finding.subject()).isEqualTo("configuration"));
    }
}
