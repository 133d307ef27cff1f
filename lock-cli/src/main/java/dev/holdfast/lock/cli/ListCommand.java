package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.text.Times;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Iterator;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command line of {@code lock list}. */
@Command(
        name = "list",
        description = "Shows who holds what, and who waits for it.",
        customSynopsis = "lock list [--json] [--local | --config FILE] [PREFIX]",
        footer = {
            "",
            "Looking holds up nobody. Times are the store's, in the local time zone. Who was handed the lock",
            "within the holder's process has a fencing token greater by less than 256. A process has one place",
            "in the queue for all of its waiters. What a terminal would obey is shown as \\u001B and the like.",
            "",
            "  lock list                  all locks that are held, kept or waited for",
            "  lock list report-          those whose names start with report-",
            "  lock list --json | jq -r '.[] | select(.waiters | length > 5) | .name'",
            "",
            "--json: [{name, holder: {owner, fencingToken, since, until} or null, keptUntil or null,",
            "waiters: [owner, ...]}, ...]; times in ISO-8601 UTC, the fencing token as text.",
            "",
            "Exit status: 0, or 64 wrong usage, 69 the store is unavailable or cannot tell, 74 the output",
            "cannot be written, 78 wrong configuration, or nothing was ever locked there: looking makes nothing."
        })
final class ListCommand extends AdminCommand {

    @Parameters(paramLabel = "PREFIX", arity = "0..1", description = "What the names start with. Default: any.")
    private String prefix = "";

    ListCommand(Dialogue dialogue) {
        super(dialogue);
    }

    @Override
    int answer(Store chosen, LockAdmin admin) throws IOException {
        try (Stream<LockInfo> locks = admin.locks(prefix)) {
            Iterator<LockInfo> shown = locks.iterator();
            // A store that does not answer is found out before a document begins.
            boolean isEmpty = !shown.hasNext();
            if (isForPrograms()) {
                document(json -> array(json, shown));
            } else {
                new LockTable(new Times(InstantSource.system(), ZoneId.systemDefault())).print(shown, this::print);
            }
            if (isEmpty) {
                messages()
                        .say("nothing is held or waited for"
                                + (prefix.isEmpty() ? "" : " whose name starts with '" + prefix + "'"));
            }
        }
        return 0;
    }

    private static void array(JsonWriter json, Iterator<LockInfo> locks) throws IOException {
        json.beginArray();
        while (locks.hasNext()) {
            LockJson.write(json, locks.next());
        }
        json.endArray();
    }
}
