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
 * A local repository as it is where our jars were just installed, without installing them: all that the build's own
 * repository has, by links, but for our artifacts, which are those that this build has made.
 */
final class StagedRepository {

    private static final String VENDOR = "dev";
    private static final String OURS = "holdfast";

    private final Path path;
    private final Map<String, Path> jars = new HashMap<>();

    private StagedRepository(Path path) {
        this.path = path;
    }

    static StagedRepository make(Path path) throws Exception {
        Folders.delete(path);
        Path vendor = Files.createDirectories(path.resolve(VENDOR));
        Path buildsOwn = Path.of(System.getProperty("example.maven.repository"));
        link(buildsOwn, path, VENDOR);
        if (Files.isDirectory(buildsOwn.resolve(VENDOR))) {
            link(buildsOwn.resolve(VENDOR), vendor, OURS);
        }
        StagedRepository staged = new StagedRepository(path);
        Path root = Path.of(System.getProperty("example.root.pom"));
        String version = staged.add("lock-api", jarOf(Locks.class));
        staged.add("lock-tck", jarOf(LockStoreContract.class));
        Files.copy(root, staged.folder("holdfast", version).resolve("holdfast-" + version + ".pom"));
        return staged;
    }

    Path path() {
        return path;
    }

    /** Where one of our artifacts is. */
    Path jar(String artifact) {
        return jars.get(artifact);
    }

    private static void link(Path from, Path to, String allBut) throws IOException {
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                String name = entry.getFileName().toString();
                if (!name.equals(allBut)) {
                    Files.createSymbolicLink(to.resolve(name), entry.toAbsolutePath());
                }
            }
        }
    }

    /** @return its version */
    private String add(String artifact, Path jar) throws IOException {
        String described = "META-INF/maven/dev.holdfast/" + artifact + "/pom.";
        try (JarFile file = new JarFile(jar.toFile());
                InputStream pom = file.getInputStream(file.getEntry(described + "xml"));
                InputStream description = file.getInputStream(file.getEntry(described + "properties"))) {
            Properties properties = new Properties();
            properties.load(description);
            String version = properties.getProperty("version");
            String name = artifact + "-" + version;
            Path folder = folder(artifact, version);
            jars.put(artifact, Files.copy(jar, folder.resolve(name + ".jar")));
            Files.copy(pom, folder.resolve(name + ".pom"));
            return version;
        }
    }

    private Path folder(String artifact, String version) throws IOException {
        return Files.createDirectories(
                path.resolve(VENDOR).resolve(OURS).resolve(artifact).resolve(version));
    }

    /** What the build has packaged: integration tests have the jars of the reactor on their class path. */
    static Path jarOf(Class<?> type) throws URISyntaxException {
        Path jar =
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        assertThat(jar).as("the jar of %s: run this by mvn verify", type).isRegularFile();
        return jar;
    }
}
