package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.EscapedText;
import dev.holdfast.lock.cli.output.Table;
import dev.holdfast.lock.spi.Finding;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code lock doctor}. */
@Command(
        name = "doctor",
        description = "Tests the store with a lock of its own, and reports what weakens a promise.",
        customSynopsis = "lock doctor [--json] [--local | --config FILE]",
        footer = {
            "",
            "  lock doctor                    checks the store configured here",
            "  lock doctor --config FILE      checks the store that FILE configures",
            "  lock doctor --json | jq -r '.findings[] | select(.severity == \"error\") | .advice'",
            "",
            "--json: {worst, findings: [{severity, subject, found, advice}, ...]}; worst and severity are ok,",
            "note, warning or error; advice is empty if there is nothing to do.",
            "",
            "Exit status: 0 if no finding is worse than a note, 1 for a warning, 69 for an error, 78 if the",
            "configuration is wrong or the store refused it; or 64 wrong usage, 74 the output cannot be written."
        })
final class DoctorCommand extends AdminCommand {

    /** The subject of the error with which {@link LockAdmin} reports a configuration that the store refused. */
    private static final String CONFIGURATION = "configuration";

    private static final int WARNING = 1;

    DoctorCommand(Console console) {
        super(console);
    }

    @Override
    int execute(StoreConfig config, LockAdmin admin) throws IOException {
        return report(admin.diagnose());
    }

    @Override
    int reportConfigurationError(LockConfigurationException error) throws IOException {
        return report(List.of(
                Finding.error(CONFIGURATION, String.valueOf(error.getMessage()), "fix that setting and retry")));
    }

    private int report(List<Finding> findings) throws IOException {
        Finding.Severity worst = findings.stream()
                .map(Finding::severity)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        if (isJson()) {
            printJson(json -> write(json, findings, worst));
        } else {
            int subjectWidth = findings.stream()
                    .mapToInt(finding -> finding.subject().length())
                    .max()
                    .orElseThrow();
            for (Finding finding : findings) {
                print(finding, subjectWidth);
            }
        }
        return switch (worst) {
            case OK, NOTE -> 0;
            case WARNING -> WARNING;
            case ERROR -> {
                messages().print("locks do not work with this store: fix the findings marked ERROR and retry");
                yield findings.stream().anyMatch(DoctorCommand::isConfigurationError)
                        ? ExitStatus.CONFIGURATION
                        : ExitStatus.UNAVAILABLE;
            }
        };
    }

    private static boolean isConfigurationError(Finding finding) {
        return finding.severity() == Finding.Severity.ERROR && finding.subject().equals(CONFIGURATION);
    }

    /** A finding worse than a note is in capitals, which stand out without colours. */
    private void print(Finding finding, int subjectWidth) throws IOException {
        String keyword = keyword(finding.severity());
        boolean isProblem = finding.severity().compareTo(Finding.Severity.NOTE) > 0;
        String heading = String.format(
                Locale.ROOT,
                "%-7s  %-" + subjectWidth + "s  ",
                isProblem ? keyword.toUpperCase(Locale.ROOT) : keyword,
                EscapedText.ofMessage(finding.subject()));
        String found = finding.found().replaceAll("\\R", " ");
        for (String line : Table.paragraph(heading, EscapedText.ofMessage(found))) {
            print(line);
        }
        if (!finding.advice().isEmpty()) {
            String arrow = " ".repeat(heading.length()) + "→ ";
            for (String line : Table.paragraph(arrow, EscapedText.ofMessage(finding.advice()))) {
                print(line);
            }
        }
    }

    private static void write(JsonWriter json, List<Finding> findings, Finding.Severity worst) throws IOException {
        json.beginObject();
        json.name("worst").value(keyword(worst));
        json.name("findings").beginArray();
        for (Finding finding : findings) {
            json.beginObject();
            json.name("severity").value(keyword(finding.severity()));
            json.name("subject").value(finding.subject());
            json.name("found").value(finding.found());
            json.name("advice").value(finding.advice());
            json.endObject();
        }
        json.endArray();
        json.endObject();
    }

    private static String keyword(Finding.Severity severity) {
        return switch (severity) {
            case OK -> "ok";
            case NOTE -> "note";
            case WARNING -> "warning";
            case ERROR -> "error";
        };
    }
}
