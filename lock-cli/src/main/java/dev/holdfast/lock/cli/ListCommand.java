package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.JsonOutput;
import dev.holdfast.lock.cli.output.LockTable;
import dev.holdfast.lock.cli.output.TimeText;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.util.Iterator;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code lock list}. */
@Command(
        name = "list",
        description = "Lists the locks in use, with their holders and waiters.",
        customSynopsis = "lock list [--json] [--local | --config FILE] [PREFIX]",
        footer = {
            "",
            "Listing delays no client. Times are the store's, shown in the local time zone. A lock handed on",
            "within the holder's process has a fencing token up to 255 greater than the one shown. All waiters",
            "of a process for an exclusive lock share one place in the queue. A holder or waiter is followed by",
            "(shared) or by its permits, as (2 of 4), unless it is exclusive. Characters that a terminal would",
            "obey are shown as \\u001B and the like.",
            "",
            "  lock list                  all locks that are held, under a minimum hold, or waited for",
            "  lock list report-          those whose names start with report-",
            "  lock list --json | jq -r '.[] | select(.waiters | length > 5) | .name'",
            "",
            "--json: [{name, holders: [{owner, fencingToken, since, until, permits, limit}, ...], keptUntil or",
            "null, waiters: [{owner, permits, limit}, ...]}, ...]; permits and limit are 1 and 1 for an",
            "exclusive lock, 1 and null for a shared one; keptUntil is the end of a minimum hold; times are in",
            "ISO-8601 UTC, and the fencing token is text.",
            "",
            "Exit status: 0, or 64 wrong usage, 69 the store is unavailable or cannot list locks, 74 the output",
            "cannot be written, 78 wrong configuration, or a store never used so far: listing creates nothing."
        })
final class ListCommand extends AdminCommand {

    @Parameters(paramLabel = "PREFIX", arity = "0..1", description = "The start of the names. Default: any name.")
    private String prefix = "";

    ListCommand(Console console) {
        super(console);
    }

    @Override
    int execute(StoreConfig config, LockAdmin admin) throws IOException {
        try (Stream<LockInfo> stream = admin.locks(prefix)) {
            Iterator<LockInfo> locks = stream.iterator();
            // Reads the first lock before a document begins, to fail early if the store does not answer.
            boolean isEmpty = !locks.hasNext();
            if (isJson()) {
                printJson(json -> writeArray(json, locks));
            } else {
                new LockTable(TimeText.local()).print(locks, this::print);
            }
            if (isEmpty) {
                messages()
                        .print("no lock is held or waited for"
                                + (prefix.isEmpty() ? "" : " with a name that starts with '" + prefix + "'"));
            }
        }
        return 0;
    }

    private static void writeArray(JsonWriter json, Iterator<LockInfo> locks) throws IOException {
        json.beginArray();
        while (locks.hasNext()) {
            JsonOutput.writeLock(json, locks.next());
        }
        json.endArray();
    }
}
