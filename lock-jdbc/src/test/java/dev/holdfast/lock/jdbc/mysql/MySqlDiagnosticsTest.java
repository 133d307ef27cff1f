package dev.holdfast.lock.jdbc.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the doctor finds about MySQL, and what variables say about a cluster, none of which this build can start. */
@Tag("first-build")
class MySqlDiagnosticsTest {

    @Test
    void diagnosis_ofAMySqlServer_namesItAndFindsNoWeakness() {
        MariaDbServer server = MariaDbServer.sharedMySql();
        try (LockStore store = Opened.store(MariaDbDatabase.of(server).settings("lock.lease", "10m"))) {
            assertThat(store.diagnose(Duration.ofMinutes(1)))
                    .allMatch(finding -> finding.severity() == Finding.Severity.OK)
                    .anyMatch(finding -> finding.subject().equals("schema")
                            && finding.found().startsWith("MySQL " + server.version() + ","));
        }
    }

    @Test
    void diagnosis_ofAGaleraCluster_warnsThatEachNodeHasItsOwnClock() {
        assertThat(MySqlDiagnostics.severalPrimaries(
                        Map.of("wsrep_on", "ON", "wsrep_provider", "/usr/lib/galera/libgalera_smm.so")))
                .hasValueSatisfying(finding -> {
                    assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
                    assertThat(finding.found()).contains("Galera", "its own clock");
                    assertThat(finding.advice()).contains("the same node");
                });
    }

    @Test
    void diagnosis_ofAGroupWithSeveralPrimaries_warnsThatEachNodeHasItsOwnClock() {
        assertThat(MySqlDiagnostics.severalPrimaries(Map.of("group_replication_single_primary_mode", "OFF")))
                .hasValueSatisfying(finding -> {
                    assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
                    assertThat(finding.found()).contains("several primaries", "its own clock");
                });
    }

    @Test
    void diagnosis_ofASingleServerOrPrimary_saysNothingAboutACluster() {
        assertThat(MySqlDiagnostics.severalPrimaries(Map.of())).isEmpty();
        assertThat(MySqlDiagnostics.severalPrimaries(Map.of("wsrep_on", "OFF", "wsrep_provider", "none")))
                .isEmpty();
        // As Percona's server shows it that has joined no cluster.
        assertThat(MySqlDiagnostics.severalPrimaries(Map.of("wsrep_on", "ON", "wsrep_provider", "none")))
                .isEmpty();
        assertThat(MySqlDiagnostics.severalPrimaries(Map.of("group_replication_single_primary_mode", "ON")))
                .isEmpty();
    }

    @Test
    void version_ofAProductThatOnlySpeaksMySqlsProtocol_isWarnedOf() {
        for (String version : List.of("8.0.11-TiDB-v7.5.0", "8.0.30-Vitess", "5.7.25-OceanBase-v4.2.1")) {
            assertThat(MySqlDiagnostics.compatible(version)).as(version).hasValueSatisfying(finding -> {
                assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
                assertThat(finding.found()).startsWith(version);
                assertThat(finding.advice()).contains("conformance kit");
            });
        }
    }

    @Test
    void version_ofMySqlOrMariaDb_isNotWarnedOf() {
        for (String version :
                List.of("8.0.15", "9.7.4", "8.0.36-28.1 Percona", "11.4.5-MariaDB-log", "10.6.16-MariaDB")) {
            assertThat(MySqlDiagnostics.compatible(version)).as(version).isEmpty();
        }
    }
}
