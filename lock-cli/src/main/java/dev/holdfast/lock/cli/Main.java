package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.cli.process.StandardStreams;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code lock}: runs a subcommand, and exits with its status. */
@Command(
        name = "lock",
        description = "Holds a distributed lock while a command runs, and lists the holders of locks.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {

    private static final String RUN = "run";

    @Spec
    private @Nullable CommandSpec spec;

    private Main() {}

    /** Runs and exits. */
    public static void main(String[] arguments) {
        StandardStreams.look();
        int status = execute(arguments, Console.ofThisProcess());
        ClassArchive.makeIfWanted(status);
        System.exit(status);
    }

    /**
     * Runs a subcommand. The words after the first {@code --} of a run are the command: they bypass the parser, so that they are
     * passed on unchanged.
     *
     * <p>An argument that Java could not decode completely is refused, whatever it is: as a name, it could be that of another
     * lock.
     *
     * @return the exit status
     */
    static int execute(String[] arguments, Console console) {
        List<String> all = Arrays.asList(arguments);
        for (String argument : all) {
            if (LocaleText.isDamaged(argument)) {
                console.messages().print("the argument " + LocaleText.describe(argument) + " (see: lock --help)");
                return ExitStatus.USAGE;
            }
        }
        int dashes = !all.isEmpty() && all.get(0).equals(RUN) ? all.indexOf("--") : -1;
        List<String> own = dashes < 0 ? all : all.subList(0, dashes);
        List<String> command = dashes < 0 ? List.of() : all.subList(dashes + 1, all.size());
        CommandLine line = new CommandLine(new Main());
        subcommands(own, command, console).forEach((name, subcommand) -> line.addSubcommand(name, subcommand.get()));
        line.setExpandAtFiles(false)
                .setUsageHelpWidth(100)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((error, rest) -> {
                    console.messages().print(describe(error));
                    return ExitStatus.USAGE;
                })
                .setExecutionExceptionHandler((error, where, parsed) -> {
                    if (error instanceof LockConfigurationException) {
                        console.messages().print(error.getMessage());
                        return ExitStatus.CONFIGURATION;
                    }
                    console.messages().print("internal error, please report it: " + error);
                    return ExitStatus.INTERNAL;
                });
        return line.execute(own.toArray(String[]::new));
    }

    /** Only the requested subcommand, because parsing the annotations takes time; all of them for help, and for a typo. */
    private static Map<String, Supplier<Callable<Integer>>> subcommands(
            List<String> own, List<String> command, Console console) {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put(RUN, () -> new RunCommand(command, console));
        all.put("list", () -> new ListCommand(console));
        all.put("top", () -> new TopCommand(console));
        all.put("release", () -> new ReleaseCommand(console));
        all.put("config", () -> new ConfigCommand(console));
        all.put("doctor", () -> new DoctorCommand(console));
        all.put("status", () -> new StatusCommand(console));
        if (!own.isEmpty() && all.containsKey(own.get(0))) {
            all.keySet().retainAll(Set.of(own.get(0)));
        }
        return all;
    }

    private static String describe(ParameterException error) {
        List<String> suggestions = error instanceof UnmatchedArgumentException unmatched
                ? unmatched.getSuggestions().stream()
                        .map(each -> "'" + each + "'")
                        .toList()
                : List.of();
        return error.getMessage()
                + (suggestions.isEmpty() ? "" : "; did you mean " + String.join(" or ", suggestions) + "?")
                + " (see: "
                + error.getCommandLine().getCommandSpec().qualifiedName()
                + " --help)";
    }

    /** Called without a subcommand. */
    @Override
    public void run() {
        CommandLine line = requireNonNull(spec).commandLine();
        throw new ParameterException(
                line,
                "no subcommand: use one of "
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
