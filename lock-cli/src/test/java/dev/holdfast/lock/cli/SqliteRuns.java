package dev.holdfast.lock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests that start real runs on a SQLite file of their own. */
abstract class SqliteRuns {

    @TempDir
    Path folder;

    Path config;

    private final List<Launched> launched = new ArrayList<>();

    @BeforeEach
    void configure() throws IOException {
        config = configuration("sqlite");
    }

    @AfterEach
    void killWhatIsLeft() {
        launched.forEach(one -> {
            one.process().descendants().forEach(ProcessHandle::destroyForcibly);
            one.process().destroyForcibly();
        });
    }

    Path database(String name) {
        return folder.resolve(name + ".db");
    }

    Path configuration(String name) throws IOException {
        return Files.writeString(
                folder.resolve(name + ".properties"),
                "lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:" + database(name) + "\n");
    }

    /** A run on the SQLite file. */
    ProcessBuilder run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--config", config.toString()));
        all.addAll(List.of(arguments));
        return Launched.run(folder, all.toArray(String[]::new)).directory(folder.toFile());
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
