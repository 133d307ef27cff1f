package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.JsonOutput;
import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.process.StandardStreams;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shared by the subcommands for operators: the choice of store and output form, and the exit status of each failure. */
@Command(mixinStandardHelpOptions = true, versionProvider = Main.Version.class)
abstract class AdminCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final StoreOptions store = new StoreOptions();

    @Option(names = "--json", description = "Print one JSON document on standard output, for programs.")
    private boolean json;

    AdminCommand(Console console) {
        this.console = console;
    }

    /**
     * Does the subcommand's work.
     *
     * @return the exit status
     */
    abstract int execute(StoreConfig config, LockAdmin admin) throws IOException, InterruptedException;

    /**
     * Checks the command line, before the configuration is read.
     *
     * @throws ParameterException from {@link #usageError}
     */
    void check() throws IOException, InterruptedException {}

    /** Reports a wrong or refused configuration, and returns the exit status. */
    int reportConfigurationError(LockConfigurationException error) throws IOException {
        messages().print(error.getMessage());
        return ExitStatus.CONFIGURATION;
    }

    @Override
    public final Integer call() throws InterruptedException {
        try {
            check();
            int status = openAndExecute();
            flush();
            return status;
        } catch (IOException e) {
            if (isClosedPipe(e)) {
                return ExitStatus.PIPE;
            }
            messages().print("cannot write the output or read the answer: " + e.getMessage());
            return ExitStatus.STREAMS;
        }
    }

    /**
     * Whether a reader such as head has closed the pipe. The message is in the language of the locale, so the stream is
     * checked, too.
     */
    private static boolean isClosedPipe(IOException failure) {
        return String.valueOf(failure.getMessage()).contains("Broken pipe") && StandardStreams.writesToReader();
    }

    private int openAndExecute() throws IOException, InterruptedException {
        try {
            StoreConfig config = store.selected();
            try (LockAdmin admin = config.admin(messages())) {
                return execute(config, admin);
            }
        } catch (LockConfigurationException e) {
            return reportConfigurationError(e);
        } catch (LockUnavailableException | UnsupportedOperationException e) {
            messages().print(e.getMessage());
            return ExitStatus.UNAVAILABLE;
        }
    }

    final Messages messages() {
        return console.messages();
    }

    final Prompt prompt() {
        return console.prompt();
    }

    final Console.Screen screen() {
        return console.screen();
    }

    /** Whether the output is JSON. */
    final boolean isJson() {
        return json;
    }

    final void print(String line) throws IOException {
        console.data().write(line + "\n");
    }

    final void flush() throws IOException {
        console.data().flush();
    }

    final void printJson(JsonOutput.Document document) throws IOException {
        JsonOutput.write(console.data(), document);
    }

    final ParameterException usageError(String message) {
        return new ParameterException(requireNonNull(spec).commandLine(), message);
    }
}
