package dev.holdfast.lock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of {@code lock} on a store of their own: within this process, or, for what only a process shows, in one that is launched,
 * which costs half a second of a processor.
 */
abstract class Runs {

    @TempDir
    Path folder;

    Path config;

    private final List<Launched> launched = new ArrayList<>();
    private final List<RunHere> here = new ArrayList<>();

    /** The configuration of a store that no other test uses. */
    abstract String store() throws Exception;

    @BeforeEach
    void configure() throws Exception {
        config = Files.writeString(folder.resolve("store.properties"), store());
    }

    @AfterEach
    void endWhatIsLeft() throws Exception {
        for (Launched one : launched) {
            one.process().descendants().forEach(ProcessHandle::destroyForcibly);
            one.process().destroyForcibly();
        }
        for (RunHere one : here) {
            one.end();
        }
    }

    /** What {@code lock}, with this subcommand, answers within this process. */
    Asked asked(String subcommand, String... arguments) {
        return Asked.alone(configured(subcommand, arguments).toArray(String[]::new));
    }

    /** A run within this process. */
    RunHere run(String... arguments) throws IOException {
        RunHere run = RunHere.start(
                folder, configured("run", arguments).stream().skip(1).toList());
        here.add(run);
        return run;
    }

    /** A process of {@code lock} that has yet to be started. */
    ProcessBuilder lock(String subcommand, String... arguments) {
        return bare(configured(subcommand, arguments).toArray(String[]::new));
    }

    /** The same without the option that says which store. */
    ProcessBuilder bare(String... arguments) {
        return Launched.lock(folder, List.of(arguments)).directory(folder.toFile());
    }

    /** A run that is a process. */
    Launched launched(String... arguments) throws IOException {
        return start(lock("run", arguments));
    }

    Launched start(ProcessBuilder builder) throws IOException {
        Launched started = Launched.start(folder, builder);
        launched.add(started);
        return started;
    }

    private List<String> configured(String subcommand, String... arguments) {
        return Stream.concat(Stream.of(subcommand, "--config", config.toString()), Stream.of(arguments))
                .toList();
    }
}
