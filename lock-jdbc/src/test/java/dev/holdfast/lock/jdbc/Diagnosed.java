package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The findings about a store. */
final class Diagnosed {

    private Diagnosed() {}

    static void look(Map<String, String> settings) {
        try (LockAdmin admin = admin(settings)) {
            admin.locks("").close();
        }
    }

    static List<Finding> errors(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .toList();
    }

    /** Errors and warnings. */
    static List<Finding> weaknesses(Map<String, String> settings) {
        return examine(settings).stream()
                .filter(each -> each.severity() == Severity.ERROR || each.severity() == Severity.WARNING)
                .toList();
    }

    /** The finding about a subject, of which there is one. */
    static Finding finding(Map<String, String> settings, String subject) {
        return examine(settings).stream()
                .filter(each -> each.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    static List<Finding> examine(Map<String, String> settings) {
        try (LockAdmin admin = admin(settings)) {
            return admin.diagnose();
        }
    }

    private static LockAdmin admin(Map<String, String> settings) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "jdbc");
        properties.setProperty("lock.lease", "10m"); // a call on a busy machine may take long
        properties.setProperty("lock.call-timeout", "1m");
        properties.putAll(settings);
        return LockAdmin.of(properties);
    }
}
