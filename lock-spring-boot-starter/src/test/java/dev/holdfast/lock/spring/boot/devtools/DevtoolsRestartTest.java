package dev.holdfast.lock.spring.boot.devtools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Boot's devtools restart an application whose classes have changed, in the same JVM and on another class loader. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("long")
class DevtoolsRestartTest {

    private static final List<String> MEMORY = List.of("holdfast.provider=memory");
    private static final List<String> SHARED =
            List.of("spring.datasource.url=jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "holdfast.jdbc.data-source=shared");

    private final PostgresServer server = PostgresServer.shared();

    @TempDir
    Path folder;

    @Test
    void restarts_withALockHeld_findItFreeAndLeaveNothingOfTheStartBefore() throws Exception {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        copyApplication(classes);
        // Directories of a build are loaded anew by default, and Holdfast is in jars elsewhere.
        Files.write(
                Files.createDirectory(classes.resolve("META-INF")).resolve("spring-devtools.properties"),
                List.of("restart.exclude.holdfast=/lock-"));
        String url = server.newDatabase();
        List<String> postgres = List.of(
                "holdfast.provider=jdbc",
                "spring.datasource.url=" + url,
                "spring.datasource.username=" + server.username(),
                "spring.datasource.password=" + server.password());
        configure(classes, MEMORY);
        Path output = folder.resolve("output");
        Process application = start(classes, output);
        try {
            List<String> expected = new ArrayList<>();
            Set<Integer> connections = new HashSet<>();
            for (List<String> settings : List.of(MEMORY, MEMORY, SHARED, postgres, postgres)) {
                if (!expected.isEmpty()) {
                    configure(classes, settings);
                }
                expected.add(String.join(
                        ", ",
                        "started " + (settings.equals(MEMORY) ? "memory" : "jdbc"),
                        "free, locked, RestartClassLoader, AppClassLoader"));
                Await.until(
                        "start " + expected.size() + " is over",
                        () -> !application.isAlive() || starts(output).size() == expected.size());
                assertThat(starts(output)).as(Files.readString(output)).isEqualTo(expected);
                Await.until(
                        "connections of the start before are closed",
                        () -> connections(url).stream().noneMatch(connections::contains));
                connections.addAll(connections(url));
            }
            assertThat(connections).isNotEmpty();
            assertThat(output)
                    .content()
                    .doesNotContain("ClassCastException")
                    .doesNotContainPattern(
                            "(WARN|ERROR) dev\\.holdfast(?!\\.lock\\.leases - these locks are closed while)");
        } finally {
            application.destroyForcibly().waitFor();
        }
    }

    /** Without the other tests, whose classes and resources are in the same place. */
    private static void copyApplication(Path classes) throws IOException, URISyntaxException {
        Path compiled = Path.of(RestartedShop.class.getResource("").toURI());
        Path copied = Files.createDirectories(
                classes.resolve(RestartedShop.class.getPackageName().replace('.', '/')));
        try (Stream<Path> files = Files.list(compiled)) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().startsWith(RestartedShop.class.getSimpleName())) {
                    Files.copy(file, copied.resolve(file.getFileName()));
                }
            }
        }
    }

    /**
     * A change of any file on the class path is what devtools watch for. They also restart with a half-written file, once it has not
     * changed for the quiet period: so a complete one is moved there.
     */
    private void configure(Path classes, List<String> settings) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "spring.application.name=shop",
                "spring.main.keep-alive=true",
                "spring.main.web-application-type=none",
                "spring.main.banner-mode=off",
                "spring.flyway.enabled=false",
                "spring.liquibase.enabled=false",
                "spring.devtools.restart.poll-interval=100ms",
                "spring.devtools.restart.quiet-period=50ms",
                "holdfast.lease=10m", // the machine may stand still
                "holdfast.call-timeout=1m",
                "# change " + System.nanoTime()));
        lines.addAll(settings);
        Files.move(
                Files.write(folder.resolve("new.properties"), lines),
                classes.resolve("application.properties"),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    private Process start(Path classes, Path output) throws IOException, URISyntaxException {
        Path tests = Path.of(RestartedShop.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> command = new ArrayList<>(JavaCommand.of(RestartedShop.class, folder, List.of()));
        int classPath = command.indexOf("-cp") + 1;
        String others = Stream.of(command.get(classPath).split(File.pathSeparator, -1))
                .filter(entry -> !Path.of(entry).toAbsolutePath().equals(tests))
                .collect(Collectors.joining(File.pathSeparator));
        command.set(classPath, classes + File.pathSeparator + others);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static List<String> starts(Path output) throws IOException {
        try (Stream<String> lines = Files.lines(output)) {
            return lines.filter(line -> line.startsWith("started ")).toList();
        }
    }

    private Set<Integer> connections(String url) throws SQLException {
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pid from pg_stat_activity"
                        + " where datname = current_database() and pid <> pg_backend_pid()")) {
            Set<Integer> found = new HashSet<>();
            while (row.next()) {
                found.add(row.getInt(1));
            }
            return found;
        }
    }
}
