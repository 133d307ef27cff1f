package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A SQLite file for which a user has no write permission: SQLite writes even to read, and would leave files of that user. */
@Tag("first-build")
class SharedFileIT extends SqliteCliTestBase {

    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    @BeforeEach
    void createLock() throws Exception {
        assertThat(run("a", "--", "true").exitStatus()).isZero();
        permit(database(), "r--r--r--");
    }

    private static void permit(Path file, String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void lock_withoutWritePermission_exitsWith78AndLeavesNothingBehind() throws Exception {
        Set<String> before = files();

        for (List<String> words : List.of(List.of("list"), List.of("run", "a", "--", "true"), List.of("doctor"))) {
            CliProcess refused = start(withoutPermission(words));
            assertThat(refused.exitStatus()).as(words + refused.stderr()).isEqualTo(78);
            assertThat(refused.stdout() + refused.stderr()).contains("has no write permission for", "sqlite.db");
        }

        assertThat(files()).isEqualTo(before);
        permit(database(), "rw-r--r--");
        assertFree("a");
    }

    /** Root may write everywhere unless it gives up that capability. */
    private ProcessBuilder withoutPermission(List<String> words) {
        ProcessBuilder builder = process(words.get(0), words.stream().skip(1).toArray(String[]::new));
        if (Files.isWritable(database())) {
            builder.command()
                    .addAll(0, List.of(SETPRIV.toString(), "--bounding-set=-dac_override", "--inh-caps=-dac_override"));
        }
        return builder;
    }

    private Set<String> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("sqlite.db"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
