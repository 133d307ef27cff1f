package dev.holdfast.lock.cli;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockName;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line of {@code lock release}. */
@Command(
        name = "release",
        description = "Takes a lock from whoever holds it.",
        customSynopsis = "lock release --force [--yes] [--json] [--local | --config FILE] NAME",
        footer = {
            "",
            "Says whom it takes the lock from, and asks. Whoever that is learns of it only at its next renewal,",
            "after a third of its lease at most, and of a lease that is not renewed only at its end: until then",
            "two may believe that they hold the lock, which only the fencing token tells apart. So end the",
            "holder first. A lock that a minimum hold keeps is held by nobody, and cannot be taken.",
            "",
            "  lock release --force nightly-report",
            "  lock release --force --yes --json nightly-report | jq -r .outcome",
            "",
            "--json: {name, outcome, before, after}; before and after are what lock list shows, or null for",
            "a lock that is free (after also if the store did not tell). The outcome is taken, free (nobody held",
            "it any more), kept (by a minimum hold), changed (another one holds it by now) or declined.",
            "",
            "Exit status: 0 taken or free, 75 kept, changed or declined; or 64 wrong usage, 69 the store is",
            "unavailable, 74 the output cannot be written, 78 wrong configuration, or nothing was ever locked."
        })
final class ReleaseCommand extends AdminCommand {

    @Option(names = "--force", description = "That it is meant: the holder may still be at work. Must be given.")
    private boolean force;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Parameters(paramLabel = "NAME", description = "The lock's whole name.")
    private String name = "";

    ReleaseCommand(Dialogue dialogue) {
        super(dialogue);
    }

    @Override
    void check() throws IOException, InterruptedException {
        try {
            new LockName(name);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        if (!force) {
            throw wrong("whoever holds '" + name + "' gives it back by itself, and may still be at work: to take it"
                    + " away all the same, end the holder and say --force");
        }
        if (!yes && !person().isThere()) {
            throw wrong("there is no terminal at which to ask whether it is meant: say --yes");
        }
    }

    @Override
    int answer(Store chosen, LockAdmin admin) throws IOException {
        Seizure seizure = new Seizure(name, admin, messages());
        Seizure.Outcome outcome = seizure.by(question -> yes || person().agrees(question));
        if (isForPrograms()) {
            document(seizure::write);
        }
        return outcome.status();
    }
}
