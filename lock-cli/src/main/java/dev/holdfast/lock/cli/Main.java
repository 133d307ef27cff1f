package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code lock}: hands what is asked for to its subcommand, and ends with the status that comes of it. */
@Command(
        name = "lock",
        description = "Holds a distributed lock while a command runs, and shows who holds what.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "In a checkout, ./lock demo shows with real servers what a failover of Redis does to a lock."})
public final class Main implements Runnable {

    private static final String RUN = "run";

    @Spec
    private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    private Main() {}

    /** Runs and exits. */
    public static void main(String[] arguments) {
        System.exit(status(arguments, Dialogue.ofThisProcess()));
    }

    /**
     * What follows the first {@code --} of a run is the command, to be passed on as it is: the parser does not see it.
     *
     * @return the exit status
     */
    static int status(String[] arguments, Dialogue dialogue) {
        List<String> all = Arrays.asList(arguments);
        int dashes = !all.isEmpty() && all.get(0).equals(RUN) ? all.indexOf("--") : -1;
        List<String> own = dashes < 0 ? all : all.subList(0, dashes);
        List<String> command = dashes < 0 ? List.of() : all.subList(dashes + 1, all.size());
        CommandLine line = new CommandLine(new Main());
        subcommands(own, command, dialogue).forEach((name, subcommand) -> line.addSubcommand(name, subcommand.get()));
        line.setExpandAtFiles(false)
                .setUsageHelpWidth(100)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((error, rest) -> {
                    dialogue.messages().say(complaint(error));
                    return ExitStatus.USAGE;
                })
                .setExecutionExceptionHandler((error, where, parsed) -> {
                    dialogue.messages().say("failed, which is a mistake of its own: " + error);
                    return ExitStatus.INTERNAL;
                });
        return line.execute(own.toArray(String[]::new));
    }

    /** The one that is asked for, as reading them all takes the parser a while; all for help, and for a slip. */
    private static Map<String, Supplier<Callable<Integer>>> subcommands(
            List<String> own, List<String> command, Dialogue dialogue) {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put(RUN, () -> new RunCommand(command, dialogue));
        all.put("list", () -> new ListCommand(dialogue));
        all.put("release", () -> new ReleaseCommand(dialogue));
        all.put("config", () -> new ConfigCommand(dialogue));
        all.put("doctor", () -> new DoctorCommand(dialogue));
        all.put("status", () -> new StatusCommand(dialogue));
        if (!own.isEmpty() && all.containsKey(own.get(0))) {
            all.keySet().retainAll(Set.of(own.get(0)));
        }
        return all;
    }

    private static String complaint(ParameterException error) {
        List<String> meant = error instanceof UnmatchedArgumentException unmatched
                ? unmatched.getSuggestions().stream()
                        .map(each -> "'" + each + "'")
                        .toList()
                : List.of();
        return error.getMessage()
                + (meant.isEmpty() ? "" : "; did you mean " + String.join(" or ", meant) + "?")
                + " (see: "
                + error.getCommandLine().getCommandSpec().qualifiedName()
                + " --help)";
    }

    /** Nothing was asked for. */
    @Override
    public void run() {
        CommandLine line = requireNonNull(spec).commandLine();
        throw new ParameterException(
                line,
                "what to do? There is: "
                        + String.join(", ", line.getSubcommands().keySet()));
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
