package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lock run}. */
@Command(
        name = "run",
        description = "Runs a command while holding a lock.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        customSynopsis = {
            "lock run [--shared | --max N] [--wait D] [--lease D] [--at-least D]",
            "                [--if-busy skip] [--local | --config FILE] NAME -- command..."
        },
        footer = {
            "",
            "Durations: 500ms, 30s, 5m, 2h, or ISO-8601 such as PT30S.",
            "The command is executed directly, without a shell, and finds HOLDFAST_NAME, HOLDFAST_TOKEN and",
            "HOLDFAST_PROVIDER in its environment.",
            "Configuration: --config, else $LOCK_CONFIG, else ./lock.properties, else",
            "/etc/holdfast/lock.properties, else LOCK_PROVIDER and the like in the environment, else a",
            "local store in ~/.holdfast, which excludes only this user's processes on this machine.",
            "",
            "Exit status: the command's (128+n if signal n ended it), or",
            "  64 wrong usage                  76 the lock was lost, the command was ended",
            "  69 the store is unavailable     78 wrong configuration",
            "  75 the lock is busy            126 the command cannot be executed, 127 not found"
        })
final class RunCommand implements Callable<Integer> {

    /** The action when the lock is still busy after the wait. */
    enum IfBusy {
        /** End with {@link ExitStatus#BUSY}. */
        FAIL,
        /** Leave the command out, and end with 0: another process runs it. */
        SKIP
    }

    private final List<String> command;
    private final Console console;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--shared",
            description = "A reader: runs beside other runs with --shared, and never beside one without.")
    private boolean shared;

    @Option(
            names = "--max",
            paramLabel = "N",
            description = "At most N runs at a time, on all nodes. If runs of a name differ in N, the lowest applies.")
    private @Nullable Integer max;

    @Option(
            names = "--wait",
            paramLabel = "D",
            converter = DurationConverter.class,
            description =
                    "How long to wait for a busy lock; 0s tries once. Default: lock.acquire-timeout, else without limit.")
    private @Nullable Duration wait;

    @Option(
            names = "--lease",
            paramLabel = "D",
            converter = DurationConverter.class,
            description =
                    "How long the lock outlives a crash; renewed while the command runs. Default: lock.lease, 30s.")
    private @Nullable Duration lease;

    @Option(
            names = "--at-least",
            paramLabel = "D",
            converter = DurationConverter.class,
            description = "The minimum hold: keeps the lock from others for this long after the grant, even if the"
                    + " command ends earlier.")
    private Duration atLeast = Duration.ZERO;

    @Option(
            names = "--if-busy",
            paramLabel = "fail|skip",
            description = "skip: if the lock is busy after the wait, run nothing and end with 0. "
                    + "Without --wait it tries once.")
    private IfBusy ifBusy = IfBusy.FAIL;

    @Mixin
    private final StoreOptions store = new StoreOptions();

    @Parameters(paramLabel = "NAME", description = "The lock's name.")
    private String name = "";

    RunCommand(List<String> command, Console console) {
        this.command = command;
        this.console = console;
    }

    @Override
    public Integer call() {
        LockedRun.Options options = checkedOptions();
        StoreConfig config = store.selected();
        return new LockedRun(
                        options, config, console.messages(), console.signals().get())
                .execute();
    }

    private LockedRun.Options checkedOptions() {
        try {
            new LockName(name);
        } catch (IllegalArgumentException e) {
            throw usageError(String.valueOf(e.getMessage()));
        }
        if (command.isEmpty()) {
            throw usageError("no command: it follows the name after --, as in: lock run " + name + " -- echo held");
        }
        if (command.get(0).isEmpty()) {
            throw usageError("the command's name is empty");
        }
        Share share = share();
        boolean skipIfBusy = ifBusy == IfBusy.SKIP;
        Optional<Duration> waitTime =
                wait == null && skipIfBusy ? Optional.of(Duration.ZERO) : Optional.ofNullable(wait);
        return new LockedRun.Options(name, share, waitTime, Optional.ofNullable(lease), atLeast, skipIfBusy, command);
    }

    private Share share() {
        if (shared && max != null) {
            throw usageError("--shared and --max exclude each other: --shared has no limit");
        }
        if (max != null && max < 1) {
            throw usageError("--max " + max + " would let no command run; expected 1 or more");
        }
        return shared ? Share.shared() : new Share(1, max == null ? 1 : max);
    }

    private ParameterException usageError(String message) {
        return new ParameterException(requireNonNull(spec).commandLine(), message);
    }
}
