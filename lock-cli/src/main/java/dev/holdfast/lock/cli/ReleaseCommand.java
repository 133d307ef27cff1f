package dev.holdfast.lock.cli;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockName;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lock release}. */
@Command(
        name = "release",
        description = "Takes a lock from a holder.",
        customSynopsis = "lock release --force [--token T] [--yes] [--json] [--local | --config FILE] NAME",
        footer = {
            "",
            "Shows the holder, and asks. The holder learns of the loss at its next renewal, after a third of its",
            "lease at most; without renewal, only at the end of the lease. Until then two processes may both",
            "believe that they hold the lock, and only the fencing token distinguishes them: end the holder",
            "first. A lock that only a minimum hold keeps has no holder, and cannot be released. Of several",
            "holders of a shared or counted lock, --token says which one; the others keep the lock.",
            "",
            "  lock release --force nightly-report",
            "  lock release --force --yes --json nightly-report | jq -r .outcome",
            "",
            "--json: {name, outcome, before, after}; before and after are as in lock list, or null for a free",
            "lock (after also if the store did not answer). The outcome is released, free (there was no holder",
            "any more), kept (by a minimum hold), changed (only other processes hold it by now), ambiguous",
            "(there are several holders, and no --token) or declined.",
            "",
            "Exit status: 0 released or free, 75 kept, changed or declined; or 64 ambiguous or wrong usage, 69",
            "the store is unavailable, 74 the output cannot be written, 78 wrong configuration, or a store never",
            "used so far."
        })
final class ReleaseCommand extends AdminCommand {

    @Option(names = "--force", description = "Confirms that the holder may still be working. Required.")
    private boolean force;

    @Option(
            names = "--token",
            paramLabel = "T",
            description =
                    "The fencing token that lock list shows for the holder. Required if there are several holders.")
    private @Nullable Long token;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Parameters(paramLabel = "NAME", description = "The lock's full name.")
    private String name = "";

    ReleaseCommand(Console console) {
        super(console);
    }

    @Override
    void check() throws IOException, InterruptedException {
        try {
            new LockName(name);
        } catch (IllegalArgumentException e) {
            throw usageError(String.valueOf(e.getMessage()));
        }
        if (!force) {
            throw usageError("the holder of '" + name + "' releases it by itself, and may still be working: to take the"
                    + " lock all the same, end the holder and repeat with --force");
        }
        if (!yes && !prompt().isInteractive()) {
            throw usageError("there is no terminal for the confirmation: repeat with --yes");
        }
    }

    @Override
    int execute(StoreConfig config, LockAdmin admin) throws IOException {
        ForceRelease release = new ForceRelease(name, Optional.ofNullable(token), admin, messages());
        ForceRelease.Outcome outcome = release.execute(question -> yes || prompt().confirm(question));
        if (isJson()) {
            printJson(release::writeTo);
        }
        return outcome.exitStatus();
    }
}
