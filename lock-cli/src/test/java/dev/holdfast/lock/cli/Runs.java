package dev.holdfast.lock.cli;

import dev.holdfast.lock.pulse.Pulse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests that start real runs on a store of their own. */
abstract class Runs {

    @TempDir
    Path folder;

    Path config;

    private final List<Launched> launched = new ArrayList<>();

    /** The configuration of a store that no other test uses. */
    abstract String store() throws Exception;

    @BeforeEach
    void configure() throws Exception {
        config = Files.writeString(folder.resolve("store.properties"), store());
    }

    @AfterEach
    void killWhatIsLeft() {
        launched.forEach(one -> {
            one.process().descendants().forEach(ProcessHandle::destroyForcibly);
            one.process().destroyForcibly();
        });
    }

    /** What a standstill may spoil. */
    @FunctionalInterface
    interface Attempt {
        void make() throws Exception;
    }

    /** Makes attempts, each in a folder and on a store of its own. See {@link Pulse#steadily}. */
    void attempts(Duration bearable, Attempt attempt) throws Exception {
        Pulse.steadily(bearable, pulse -> {
            if (pulse.attempt() > 1) {
                anew();
            }
            attempt.make();
        });
    }

    void anew() throws Exception {
        killWhatIsLeft();
        folder = Files.createDirectory(folder.resolve("anew"));
        configure();
    }

    /** A run on the store. */
    ProcessBuilder run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--config", config.toString()));
        all.addAll(List.of(arguments));
        return Launched.run(folder, all.toArray(String[]::new)).directory(folder.toFile());
    }

    /** Another subcommand on the store. */
    ProcessBuilder lock(String subcommand, String... arguments) {
        List<String> all = new ArrayList<>(List.of(subcommand, "--config", config.toString()));
        all.addAll(List.of(arguments));
        return Launched.lock(folder, all).directory(folder.toFile());
    }

    /** What another subcommand answers. */
    Launched asked(String subcommand, String... arguments) throws IOException {
        return start(lock(subcommand, arguments));
    }

    Launched start(ProcessBuilder builder) throws IOException {
        Launched started = Launched.start(folder, builder);
        launched.add(started);
        return started;
    }

    Launched started(String... arguments) throws IOException {
        return start(run(arguments));
    }
}
