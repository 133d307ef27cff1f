package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.text.ForeignText;
import dev.holdfast.lock.cli.text.Paragraph;
import dev.holdfast.lock.cli.text.Table;
import dev.holdfast.lock.spi.Finding;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** The command line of {@code lock doctor}. */
@Command(
        name = "doctor",
        description = "Tries the store with a lock of its own, and looks for what weakens a promise.",
        customSynopsis = "lock doctor [--json] [--local | --config FILE]",
        footer = {
            "",
            "  lock doctor                    is all well with what is configured here?",
            "  lock doctor --config FILE      would it be with that file?",
            "  lock doctor --json | jq -r '.findings[] | select(.severity == \"error\") | .advice'",
            "",
            "--json: {worst, findings: [{severity, subject, found, advice}, ...]}; worst and severity are fine,",
            "note, warning or error, and the advice is empty if there is nothing to do.",
            "",
            "Exit status: 0 if nothing is worse than a note, 1 if there is a warning, 69 if there is an error,",
            "78 if the configuration is wrong or was refused; or 64 wrong usage, 74 the output cannot be",
            "written."
        })
final class DoctorCommand extends AdminCommand {

    /** What an admin calls a configuration that the store refused; so does this. */
    private static final String CONFIGURATION = "configuration";

    private static final int WARNED = 1;

    DoctorCommand(Dialogue dialogue) {
        super(dialogue);
    }

    @Override
    int answer(Store chosen, LockAdmin admin) throws IOException {
        return report(admin.examine());
    }

    @Override
    int refused(LockConfigurationException why) throws IOException {
        return report(List.of(Finding.error(
                CONFIGURATION, String.valueOf(why.getMessage()), "set what it names right, then ask again")));
    }

    private int report(List<Finding> findings) throws IOException {
        Finding.Severity worst = findings.stream()
                .map(Finding::severity)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        if (isForPrograms()) {
            document(json -> object(json, findings, worst));
        } else {
            int subject = findings.stream()
                    .mapToInt(finding -> finding.subject().length())
                    .max()
                    .orElseThrow();
            for (Finding finding : findings) {
                print(finding, subject);
            }
        }
        return switch (worst) {
            case FINE, NOTE -> 0;
            case WARNING -> WARNED;
            case ERROR -> {
                messages().say("locks do not work like this: see what is marked as an ERROR");
                yield findings.stream().anyMatch(DoctorCommand::isConfiguration)
                        ? ExitStatus.CONFIGURATION
                        : ExitStatus.UNAVAILABLE;
            }
        };
    }

    private static boolean isConfiguration(Finding finding) {
        return finding.severity() == Finding.Severity.ERROR && finding.subject().equals(CONFIGURATION);
    }

    /** What is worse than a note is in capital letters: that is seen without colours as well. */
    private void print(Finding finding, int subject) throws IOException {
        String severity = finding.severity().name();
        boolean isBad = finding.severity().compareTo(Finding.Severity.NOTE) > 0;
        String head = String.format(
                Locale.ROOT,
                "%-7s  %-" + subject + "s  ",
                isBad ? severity : severity.toLowerCase(Locale.ROOT),
                ForeignText.visible(finding.subject()));
        String indent = " ".repeat(head.length());
        int width = Table.PAGE - head.length();
        String before = head;
        for (String line : Paragraph.lines(ForeignText.visible(finding.found().replaceAll("\\R", " ")), width)) {
            print(before + line);
            before = indent;
        }
        if (!finding.advice().isEmpty()) {
            before = indent + "→ ";
            for (String line : Paragraph.lines(ForeignText.visible(finding.advice()), width - 2)) {
                print(before + line);
                before = indent + "  ";
            }
        }
    }

    private static void object(JsonWriter json, List<Finding> findings, Finding.Severity worst) throws IOException {
        json.beginObject();
        json.name("worst").value(word(worst));
        json.name("findings").beginArray();
        for (Finding finding : findings) {
            json.beginObject();
            json.name("severity").value(word(finding.severity()));
            json.name("subject").value(finding.subject());
            json.name("found").value(finding.found());
            json.name("advice").value(finding.advice());
            json.endObject();
        }
        json.endArray();
        json.endObject();
    }

    private static String word(Finding.Severity severity) {
        return severity.name().toLowerCase(Locale.ROOT);
    }
}
