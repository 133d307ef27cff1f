package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.JsonOutput;
import dev.holdfast.lock.cli.top.Renewals;
import dev.holdfast.lock.cli.top.Snapshot;
import dev.holdfast.lock.cli.top.TopOrder;
import dev.holdfast.lock.cli.top.TopPage;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lock top}. */
@Command(
        name = "top",
        description = "Shows the locks in use as they change, and what blocks each waiter.",
        customSynopsis = {
            "lock top [--sort ORDER] [--blocked] [--every D] [--json] [--local | --config FILE]",
            "                [PREFIX]"
        },
        footer = {
            "",
            "In a terminal q ends it, b shows what blocks each waiter, and n a l w r set the order. Elsewhere,",
            "as in a pipe, it prints one page and ends; with --every it prints page after page. The store is",
            "read every two seconds, or as --every says, and at most once a second.",
            "",
            "RENEWED is the time since a renewal of the lease was seen. 'not for 21 s': less than half of the",
            "lease is left, so its renewal is behind, or it is a fixed lease, which is never renewed.",
            "",
            "  lock top                   all locks, those with the most waiters first",
            "  lock top --blocked report- what blocks the waiters for names that start with report-",
            "  lock top --every 10s | tee -a locks.txt",
            "",
            "--json: {provider, failover, locks}, once: failover as in lock status, locks as in lock list.",
            "",
            "Exit status: 0, or 64 wrong usage, 69 the store is unavailable or cannot list locks, 74 the output",
            "cannot be written, 78 wrong configuration, or a store never used so far: top creates nothing."
        })
final class TopCommand extends AdminCommand {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration USUAL = Duration.ofSeconds(2);
    /** The width of a page that is not for a screen of a known size. */
    private static final int WIDTH = 80;

    @Option(
            names = "--sort",
            paramLabel = "ORDER",
            description = "name, age, left, waiters or renewed: the order of the locks. Default: waiters.")
    private TopOrder order = TopOrder.WAITERS;

    @Option(names = "--blocked", description = "What blocks each waiter: holder, process, host, and since when.")
    private boolean blocked;

    @Option(
            names = "--every",
            paramLabel = "D",
            converter = DurationConverter.class,
            description = "The time between two readings of the store, at least 1s. Default: 2s.")
    private @Nullable Duration every;

    @Parameters(paramLabel = "PREFIX", arity = "0..1", description = "The start of the names. Default: any name.")
    private String prefix = "";

    TopCommand(Console console) {
        super(console);
    }

    @Override
    void check() {
        if (every != null && every.compareTo(SHORTEST) < 0) {
            throw usageError("--every " + every.toMillis() + "ms would read the store more than once a second");
        }
        if (every != null && isJson()) {
            throw usageError("--every and --json exclude each other: --json is one document");
        }
    }

    @Override
    int execute(StoreConfig config, LockAdmin admin) throws IOException, InterruptedException {
        // Before the terminal is taken over, to fail early if the store does not answer.
        Snapshot first = read(admin);
        if (isJson()) {
            printJson(json -> write(json, first));
            return 0;
        }
        TopPage.Subject subject = blocked ? TopPage.Subject.BLOCKED : TopPage.Subject.LOCKS;
        TopScreen screen = new TopScreen(() -> read(admin), every == null ? USUAL : every, subject, order);
        if (!screen.show(screen(), first)) {
            printPages(admin, first, subject);
        }
        return 0;
    }

    private Snapshot read(LockAdmin admin) {
        try (Stream<LockInfo> locks = admin.locks(prefix)) {
            return new Snapshot(Instant.now(), admin.provider(), admin.failoverStatus(), locks.toList());
        }
    }

    /** One page, or one after another until this process is ended. */
    private void printPages(LockAdmin admin, Snapshot first, TopPage.Subject subject)
            throws IOException, InterruptedException {
        Renewals renewals = new Renewals();
        printPage(first, renewals, subject);
        while (every != null) {
            flush();
            Thread.sleep(every.toMillis());
            try {
                Snapshot next = read(admin);
                print("");
                printPage(next, renewals, subject);
            } catch (LockException e) {
                messages().print(e.getMessage());
            }
        }
    }

    private void printPage(Snapshot snapshot, Renewals renewals, TopPage.Subject subject) throws IOException {
        renewals.observe(snapshot);
        for (String line : new TopPage(snapshot, renewals, ZoneId.systemDefault()).lines(subject, order, WIDTH)) {
            print(line);
        }
    }

    private static void write(JsonWriter json, Snapshot snapshot) throws IOException {
        json.beginObject();
        json.name("provider").value(snapshot.provider());
        json.name("failover");
        JsonOutput.writeFailover(json, snapshot.failover());
        json.name("locks").beginArray();
        for (LockInfo lock : snapshot.locks()) {
            JsonOutput.writeLock(json, lock);
        }
        json.endArray();
        json.endObject();
    }
}
