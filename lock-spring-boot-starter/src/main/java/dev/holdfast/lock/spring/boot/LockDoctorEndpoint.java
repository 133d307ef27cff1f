package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.Finding;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/lockdoctor}: the findings of {@code lock doctor} about the store and the settings of these locks. */
@Endpoint(id = "lockdoctor")
public final class LockDoctorEndpoint {

    private final LockAdmin admin;

    /** @param admin of the store that is examined */
    public LockDoctorEndpoint(LockAdmin admin) {
        this.admin = admin;
    }

    /** Acquires and releases a lock of its own, and examines the store, as {@link LockAdmin#diagnose} does. */
    @ReadOperation
    public Diagnosis diagnose() {
        List<Finding> findings = admin.diagnose();
        String worst = findings.stream()
                .map(Finding::severity)
                .max(Comparator.naturalOrder())
                .map(LockDoctorEndpoint::text)
                .orElse("ok");
        return new Diagnosis(
                admin.provider(), worst, findings.stream().map(Entry::of).toList());
    }

    private static String text(Finding.Severity severity) {
        return severity.name().toLowerCase(Locale.ROOT);
    }

    /**
     * The result of an examination.
     *
     * @param provider the name of the provider whose store was examined
     * @param worst the worst severity among the findings: {@code ok}, {@code note}, {@code warning} or {@code error}
     * @param findings each with advice
     */
    public record Diagnosis(String provider, String worst, List<Entry> findings) {}

    /**
     * One finding.
     *
     * @param severity {@code ok}, {@code note}, {@code warning} or {@code error}
     * @param subject the subject in a word or two
     * @param found the observation, without secrets
     * @param advice the remedy; empty if there is nothing to do
     */
    public record Entry(String severity, String subject, String found, String advice) {

        static Entry of(Finding finding) {
            return new Entry(
                    text(finding.severity()),
                    finding.subject(),
                    SpringNames.inWords(finding.found()),
                    SpringNames.inWords(finding.advice()));
        }
    }
}
