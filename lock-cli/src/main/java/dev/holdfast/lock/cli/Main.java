package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Spec;

/** {@code lock}: hands what is asked for to its subcommand, and ends with the status that comes of it. */
@Command(
        name = "lock",
        description = "Holds a distributed lock.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {

    @Spec
    private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    private Main() {}

    /** Runs and exits. */
    public static void main(String[] arguments) {
        System.exit(status(arguments, new Messages(System.err)));
    }

    /**
     * What follows the first {@code --} is the command, to be passed on as it is: the parser does not see it.
     *
     * @return the exit status
     */
    static int status(String[] arguments, Messages messages) {
        List<String> all = Arrays.asList(arguments);
        int dashes = all.indexOf("--");
        List<String> own = dashes < 0 ? all : all.subList(0, dashes);
        List<String> command = dashes < 0 ? List.of() : all.subList(dashes + 1, all.size());
        CommandLine line = new CommandLine(new Main())
                .addSubcommand("run", new RunCommand(command, messages))
                .setExpandAtFiles(false)
                .setUsageHelpWidth(100)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((error, rest) -> {
                    messages.say(error.getMessage() + " (see: lock run --help)");
                    return ExitStatus.USAGE;
                })
                .setExecutionExceptionHandler((error, where, parsed) -> {
                    messages.say("failed, which is a mistake of its own: " + error);
                    return ExitStatus.INTERNAL;
                });
        return line.execute(own.toArray(String[]::new));
    }

    /** Nothing was asked for. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(requireNonNull(spec).commandLine(), "what to do? There is: run");
    }

    /** The version of the jar. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"Holdfast " + (version == null ? "(not packaged)" : version)};
        }
    }
}
