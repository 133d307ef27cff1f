package dev.holdfast.lock.jdbc.h2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Finding;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The doctor names versions of H2 that lose what they have committed. */
@Tag("second-build")
class H2VersionTest {

    @Test
    void version_thatForgetsGrants_isWarnedOf() {
        assertThat(H2Diagnostics.version("2.5.252"))
                .hasValueSatisfying(finding -> assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING));
    }

    @Test
    void version_thatKeepsGrants_isNot() {
        assertThat(H2Diagnostics.version("2.3.232")).isEmpty();
        assertThat(H2Diagnostics.version("2.4.240")).isEmpty();
    }
}
