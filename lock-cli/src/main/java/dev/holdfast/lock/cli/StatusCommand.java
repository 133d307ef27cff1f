package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.EscapedText;
import dev.holdfast.lock.cli.output.FailoverText;
import dev.holdfast.lock.cli.output.JsonOutput;
import dev.holdfast.lock.cli.output.Table;
import dev.holdfast.lock.cli.output.TimeText;
import dev.holdfast.lock.spi.DurationText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;

/** {@code lock status}. */
@Command(
        name = "status",
        description = "Shows which store of a composite grants locks, since when, and why.",
        customSynopsis = "lock status [--json] [--local | --config FILE]",
        footer = {
            "",
            "Asks the composite's authority, without joining as a member, and changes nothing. Members are the",
            "processes that asked the authority recently. To leave a composite for one of its stores: when the",
            "last member has ended, set lock.token-floor to the token floor shown here, so that fencing tokens",
            "go on rising.",
            "",
            "  lock status                which store grants locks now",
            "  lock status --json | jq -r .failover.grants",
            "",
            "--json: {provider, failover: {primary, fallback, grants, epoch, since, cause, authorityLease,",
            "members, suspecting, tokenFloor} or null}; null if the store is not a composite. grants is the name",
            "of a store, or none during a transition; suspecting is the number of members that cannot reach",
            "the primary. Times in ISO-8601 UTC, durations as in the configuration, the token floor as text.",
            "",
            "Exit status: 0, or 64 wrong usage, 69 the store is unavailable, 74 the output cannot be written,",
            "78 wrong configuration, or a store never used so far: status creates nothing."
        })
final class StatusCommand extends AdminCommand {

    StatusCommand(Console console) {
        super(console);
    }

    @Override
    int execute(StoreConfig config, LockAdmin admin) throws IOException {
        Optional<FailoverStatus> status = admin.failoverStatus();
        if (isJson()) {
            printJson(json -> write(json, admin.provider(), status));
        } else if (status.isPresent()) {
            for (String line : page(status.get(), TimeText.local())) {
                print(line);
            }
        } else {
            print(admin.provider() + " grants all locks: this store is not a composite");
        }
        return 0;
    }

    /** The status for people: a paragraph for each fact. */
    static List<String> page(FailoverStatus status, TimeText times) {
        List<String> lines = new ArrayList<>();
        add(lines, "grants", FailoverText.grants(status));
        add(lines, "since", times.past(status.since()));
        add(lines, "cause", EscapedText.ofMessage(status.cause()));
        add(lines, "epoch", Long.toString(status.epoch()));
        add(lines, "members", members(status));
        add(lines, "authority lease", DurationText.format(status.authorityLease()));
        add(
                lines,
                "token floor",
                status.tokenFloor() + ", the lock.token-floor for leaving the composite for one of its stores");
        return lines;
    }

    private static String members(FailoverStatus status) {
        return switch (status.suspecting()) {
            case 0 -> Integer.toString(status.members());
            case 1 -> status.members() + ", one of which cannot reach " + status.primary();
            default -> status.members() + ", " + status.suspecting() + " of which cannot reach " + status.primary();
        };
    }

    private static void add(List<String> lines, String subject, String text) {
        lines.addAll(Table.paragraph(String.format(Locale.ROOT, "%-15s  ", subject), text));
    }

    private static void write(JsonWriter json, String provider, Optional<FailoverStatus> status) throws IOException {
        json.beginObject();
        json.name("provider").value(provider);
        json.name("failover");
        JsonOutput.writeFailover(json, status);
        json.endObject();
    }
}
