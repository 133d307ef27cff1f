package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The operator's side: the diagnosis of a store and of its settings. */
@Tag("first-build")
@ResourceLock(MutantProvider.RESTARTS)
class AdminDiagnosisTest {

    private final Properties configuration = new Properties();

    AdminDiagnosisTest() {
        configuration.setProperty("lock.provider", "memory");
        configuration.setProperty("lock.namespace", "admin-" + UUID.randomUUID());
    }

    @Test
    void diagnose_ofAStoreWithoutListings_notesIt(@TempDir Path directory) {
        configuration.setProperty("lock.provider", "journal");
        configuration.setProperty("lock.journal.directory", directory.toString());
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            assertThatThrownBy(() -> admin.locks(""))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("'journal'");
            assertThat(admin.diagnose())
                    .filteredOn(finding -> finding.severity() == Severity.NOTE)
                    .extracting(Finding::subject)
                    .containsExactly("clock", "waiting");
        }
    }

    @Test
    void diagnose_ofTheMemoryStore_warnsOfOtherProcesses() {
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            assertThat(admin.diagnose())
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.found()).contains("one process"));
        }
    }

    @Test
    void diagnose_ofWeakSettings_warns() {
        configuration.setProperty("lock.lease", "1s");
        configuration.setProperty("lock.call-timeout", "500ms");
        configuration.remove("lock.namespace");
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            assertThat(admin.diagnose())
                    .filteredOn(finding -> finding.subject().equals("settings"))
                    .extracting(Finding::severity)
                    .containsExactly(Severity.WARNING, Severity.NOTE, Severity.NOTE);
        }
    }

    @Test
    void diagnose_ofAHealthyStore_findsNothingAndLeavesNothing() {
        configuration.setProperty("lock.lease", "10m"); // the machine may stand still, which is no fault of the store
        configuration.setProperty("lock.call-timeout", "2m");
        assertThat(examine(Mutant.REFERENCE))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK));
        MemorySpace space =
                MutantProvider.space(Mutant.REFERENCE, new Namespace(configuration.getProperty("lock.namespace")));
        assertThat(space.namesInUse()).isZero();
    }

    /** A machine that stands still delays a notification as it delays a call. */
    @Test
    void diagnose_ofAStoreThatLosesNotifications_waitsForOneAsLongAsForACall() {
        configuration.setProperty("lock.lease", "18s");
        configuration.setProperty("lock.call-timeout", "6s");
        assertThat(examine(Mutant.LOSES_NOTIFICATIONS))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.subject()).isEqualTo("notifications");
                    assertThat(finding.found()).contains("not notified of its turn within 6 s");
                });
    }

    @Test
    void diagnose_ofABrokenStore_reportsTheBrokenReply() {
        assertThat(examine(Mutant.GRANTS_TWICE))
                .filteredOn(finding -> finding.severity() == Severity.ERROR)
                .singleElement()
                .satisfies(finding -> assertThat(finding.found()).contains("acquire", "Granted", "instead of Queued"));
    }

    private List<Finding> examine(Mutant mutant) {
        configuration.setProperty("lock.provider", "mutant");
        configuration.setProperty(MutantProvider.KIND.name(), mutant.name());
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            return admin.diagnose().stream()
                    .filter(finding -> !finding.subject().equals("store")) // that all of them are in memory
                    .toList();
        }
    }
}
