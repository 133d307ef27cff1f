package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.text.EscapingWriter;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the subcommands that look at a store have in common: which store, in which form, and what a failure comes to. */
@Command(mixinStandardHelpOptions = true, versionProvider = Main.Version.class)
abstract class AdminCommand implements Callable<Integer> {

    private final Dialogue dialogue;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final StoreOptions store = new StoreOptions();

    @Option(names = "--json", description = "One JSON document on standard output, for programs.")
    private boolean json;

    AdminCommand(Dialogue dialogue) {
        this.dialogue = dialogue;
    }

    /** Answers what was asked for, and returns the exit status. */
    abstract int answer(Store chosen, LockAdmin admin) throws IOException;

    /**
     * What is wrong with the command line by itself, before anything is opened.
     *
     * @throws ParameterException by {@link #wrong}
     */
    void check() throws IOException, InterruptedException {}

    /** There is no admin, as the configuration is wrong. */
    int refused(LockConfigurationException why) throws IOException {
        messages().say(why.getMessage());
        return ExitStatus.CONFIGURATION;
    }

    @Override
    public final Integer call() throws InterruptedException {
        try {
            check();
            int status = opened(store.chosen());
            dialogue.data().flush();
            return status;
        } catch (IOException e) {
            messages().say("cannot read or write: " + e.getMessage());
            return ExitStatus.STREAMS;
        }
    }

    private int opened(Store chosen) throws IOException {
        try (LockAdmin admin = chosen.admin(messages())) {
            return answer(chosen, admin);
        } catch (LockConfigurationException e) {
            return refused(e);
        } catch (LockUnavailableException | UnsupportedOperationException e) {
            messages().say(e.getMessage());
            return ExitStatus.UNAVAILABLE;
        }
    }

    final Messages messages() {
        return dialogue.messages();
    }

    final Person person() {
        return dialogue.person();
    }

    final boolean isForPrograms() {
        return json;
    }

    final void print(String line) throws IOException {
        dialogue.data().write(line + "\n");
    }

    /** Writes one JSON document. */
    final void document(JsonDocument document) throws IOException {
        JsonWriter writer = new JsonWriter(new EscapingWriter(dialogue.data()));
        writer.setIndent("  ");
        document.writeTo(writer);
        print("");
    }

    final ParameterException wrong(String message) {
        return new ParameterException(requireNonNull(spec).commandLine(), message);
    }

    /** What there is to write. */
    interface JsonDocument {
        void writeTo(JsonWriter json) throws IOException;
    }
}
