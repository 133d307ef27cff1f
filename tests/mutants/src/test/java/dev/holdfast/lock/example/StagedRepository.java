package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.tck.LockStoreContract;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * A local repository in which the jars of this build are installed: links to everything in the build's own repository, and
 * copies of our artifacts.
 */
final class StagedRepository {

    private static final String VENDOR = "dev";
    private static final String OURS = "holdfast";

    private final Path path;
    private final String version;
    private final Map<String, Path> jars = new HashMap<>();

    private StagedRepository(Path path, String version) {
        this.path = path;
        this.version = version;
    }

    static StagedRepository make(Path path) throws Exception {
        Folders.delete(path);
        Path vendor = Files.createDirectories(path.resolve(VENDOR));
        Path buildsOwn = Path.of(System.getProperty("example.maven.repository"));
        link(buildsOwn, path, VENDOR);
        if (Files.isDirectory(buildsOwn.resolve(VENDOR))) {
            link(buildsOwn.resolve(VENDOR), vendor, OURS);
        }
        Path api = jarOf(Locks.class);
        StagedRepository staged = new StagedRepository(path, versionOf(api));
        staged.add("lock-api", api);
        staged.add("lock-tck", jarOf(LockStoreContract.class));
        Path root = Path.of(System.getProperty("example.root.pom"));
        Files.copy(root, staged.folder("holdfast").resolve("holdfast-" + staged.version + ".pom"));
        return staged;
    }

    Path path() {
        return path;
    }

    /** The version of our artifacts. */
    String version() {
        return version;
    }

    /** The jar of one of our artifacts. */
    Path jar(String artifact) {
        return jars.get(artifact);
    }

    private static void link(Path from, Path to, String except) throws IOException {
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                String name = entry.getFileName().toString();
                if (!name.equals(except)) {
                    Files.createSymbolicLink(to.resolve(name), entry.toAbsolutePath());
                }
            }
        }
    }

    private static String versionOf(Path api) throws IOException {
        try (JarFile file = new JarFile(api.toFile());
                InputStream description = file.getInputStream(file.getEntry(described("lock-api", "properties")))) {
            Properties properties = new Properties();
            properties.load(description);
            return properties.getProperty("version");
        }
    }

    private void add(String artifact, Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile());
                InputStream pom = file.getInputStream(file.getEntry(described(artifact, "xml")))) {
            String name = artifact + "-" + version;
            Path folder = folder(artifact);
            jars.put(artifact, Files.copy(jar, folder.resolve(name + ".jar")));
            Files.copy(pom, folder.resolve(name + ".pom"));
        }
    }

    /** The path of the POM, or of Maven's properties, in a jar. */
    private static String described(String artifact, String kind) {
        return "META-INF/maven/dev.holdfast/" + artifact + "/pom." + kind;
    }

    private Path folder(String artifact) throws IOException {
        return Files.createDirectories(
                path.resolve(VENDOR).resolve(OURS).resolve(artifact).resolve(version));
    }

    /** The jar of a class: integration tests have the jars of the reactor on their class path. */
    static Path jarOf(Class<?> type) throws URISyntaxException {
        Path jar =
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        assertThat(jar).as("the jar of %s: run this by mvn verify", type).isRegularFile();
        return jar;
    }
}
