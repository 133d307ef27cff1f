package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A small application, compiled and run with the jars that a Maven user of lock-jdbc gets: on the class path and on the
 * module path.
 */
@Execution(ExecutionMode.CONCURRENT)
class InstallationIT {

    /** What lock-jdbc brings along, and nothing else: what the application is compiled against. */
    private static final List<String> BROUGHT = List.of("lock-jdbc", "lock-api", "HikariCP", "slf4j-api", "jspecify");

    /** What the application adds for its database, and for its log. */
    private static final List<String> POSTGRES =
            List.of("postgresql", "flyway-core", "flyway-database-postgresql", "slf4j-simple");

    private static final List<String> SQLITE = List.of("sqlite-jdbc", "flyway-core", "slf4j-simple");

    /** Whatever is worth a warning is on the error output, where nothing must be. */
    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";

    /** A pool warns of a connection that was slow to open on a busy machine, and opens another. */
    private static final String QUIET_POOL = "-Dorg.slf4j.simpleLogger.log.com.zaxxer.hikari.pool=off";

    private static final String MAIN = "example.Application";

    @TempDir
    Path directory;

    @Test
    void lockJdbc_hasNoOtherDependencies() throws Exception {
        Set<String> brought = new HashSet<>(Set.of("lock-jdbc"));
        brought.addAll(Pom.broughtBy(Path.of("pom.xml")));
        brought.addAll(Pom.broughtBy(Path.of("..", "lock-api", "pom.xml")));
        assertThat(brought).containsExactlyInAnyOrderElementsOf(BROUGHT);
    }

    @Test
    void classPath_withPostgres_grantsALock() throws Exception {
        compile("-cp", path(BROUGHT, List.of()), "Application.java");
        configure(Postgres.database().settings());
        servesAsInTheReadme(java("-cp", path(BROUGHT, POSTGRES) + File.pathSeparator + classes(), MAIN));
    }

    @Test
    void classPath_withSqlite_grantsALock() throws Exception {
        compile("-cp", path(BROUGHT, List.of()), "Application.java");
        configure(Map.of("lock.jdbc.url", "jdbc:sqlite:locks.db"));
        servesAsInTheReadme(
                java(nativeAccess("ALL-UNNAMED"), "-cp", path(BROUGHT, SQLITE) + File.pathSeparator + classes(), MAIN));
    }

    @Test
    void modulePath_withPostgres_grantsALock() throws Exception {
        compile("-p", path(BROUGHT, List.of()), "Application.java", "module-info.java");
        configure(Postgres.database().settings());
        servesAsInTheReadme(
                java("-p", path(BROUGHT, POSTGRES) + File.pathSeparator + classes(), "-m", "example/" + MAIN));
    }

    @Test
    void modulePath_withSqlite_grantsALock() throws Exception {
        compile("-p", path(BROUGHT, List.of()), "Application.java", "module-info.java");
        configure(Map.of("lock.jdbc.url", "jdbc:sqlite:locks.db"));
        String modules = path(BROUGHT, SQLITE) + File.pathSeparator + classes();
        String nativeAccess = nativeAccess("org.xerial.sqlitejdbc");

        JavaProcess withoutFlyway = java(nativeAccess, "-p", modules, "-m", "example/" + MAIN);
        assertThat(withoutFlyway.status()).isNotZero();
        assertThat(withoutFlyway.error()).contains("LockConfigurationException", "--add-modules flyway.core");

        servesAsInTheReadme(java(nativeAccess, "-p", modules, "--add-modules", "flyway.core", "-m", "example/" + MAIN));
    }

    private static void servesAsInTheReadme(JavaProcess application) {
        assertThat(application.error()).isEmpty();
        assertThat(application.output().lines())
                .containsExactly(
                        "acquired, with a token: true",
                        "a second one at once: false",
                        "another, who waited: true",
                        "run",
                        "both: true");
        assertThat(application.status()).isZero();
    }

    private void compile(String option, String path, String... sources) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-Xlint:all", "-Werror", option, path));
        arguments.addAll(List.of("-d", classes().toString()));
        for (String source : sources) {
            arguments.add(source(source).toString());
        }
        JavaProcess compiler = JavaProcess.run(directory, "javac", arguments.toArray(String[]::new));
        assertThat(compiler.output() + compiler.error()).isEmpty();
        assertThat(compiler.status()).isZero();
    }

    private static Path source(String name) throws URISyntaxException {
        return Path.of(InstallationIT.class.getResource("/newcomer/" + name).toURI());
    }

    private Path classes() {
        return directory.resolve("classes");
    }

    private void configure(Map<String, String> settings) throws IOException {
        Properties all = new Properties();
        all.putAll(settings);
        all.setProperty("lock.provider", "jdbc");
        all.setProperty("lock.lease", "10m"); // a call on a busy machine may take long
        all.setProperty("lock.call-timeout", "1m");
        try (OutputStream out = Files.newOutputStream(directory.resolve("lock.properties"))) {
            all.store(out, null);
        }
    }

    private JavaProcess java(String... arguments) throws Exception {
        List<String> all = Stream.concat(
                        Stream.of(QUIET, QUIET_POOL, "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-XX:+UseSerialGC"),
                        Stream.of(arguments))
                .toList();
        return JavaProcess.run(directory, "java", all.toArray(String[]::new));
    }

    /** SQLite's driver loads a library, of which a newer JDK wants to be told; an older one knows no such option. */
    private static String nativeAccess(String modules) {
        return Runtime.version().feature() < 22 ? "-Dno.option=needed" : "--enable-native-access=" + modules;
    }

    private static String path(List<String> artifacts, List<String> more) {
        return Stream.concat(artifacts.stream(), more.stream())
                .map(InstallationIT::jar)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The jar of this artifact: packaged, as Maven has it in the class path of an integration test. */
    private static String jar(String artifact) {
        List<String> found = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry ->
                        Path.of(entry).getFileName().toString().matches(artifact + "-[0-9].*(?<!-tests)\\.jar"))
                .toList();
        assertThat(found).as("the jar of " + artifact + "; run by mvn verify").hasSize(1);
        return found.get(0);
    }
}
