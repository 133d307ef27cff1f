package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Finding;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What extensions say about other servers that take writes, none of which this build can start. */
@Tag("first-build")
class PostgreSqlDiagnosticsTest {

    @Test
    void diagnosis_ofOneOfSeveralPrimaries_warnsThatEachGrants() {
        assertThat(PostgreSqlDiagnostics.checkOtherWriters(null, "bdr")).hasValueSatisfying(finding -> {
            assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
            assertThat(finding.found()).contains("bdr", "two clients hold the same lock");
            assertThat(finding.advice()).contains("the same server");
        });
    }

    @Test
    void diagnosis_ofTheOnlyPrimary_saysNothingAboutOthers() {
        assertThat(PostgreSqlDiagnostics.checkOtherWriters(null, null)).isEmpty();
    }
}
