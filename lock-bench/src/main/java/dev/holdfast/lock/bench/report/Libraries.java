package dev.holdfast.lock.bench.report;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The jars of the class path, each by what it says of itself. */
final class Libraries {

    private static final Pattern NAME = Pattern.compile("(.+?)(?:-\\d.*)?\\.jar");

    private Libraries() {}

    /** The version of each; one that says nothing of its version is not among them. */
    static Map<String, String> onClassPath() throws IOException {
        Map<String, String> versions = new TreeMap<>();
        for (Path path : Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .toList()) {
            Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
            if (name.matches() && Files.isRegularFile(path)) {
                try (JarFile jar = new JarFile(path.toFile())) {
                    version(jar, name.group(1)).ifPresent(version -> versions.put(name.group(1), version));
                }
            }
        }
        return versions;
    }

    /** As Maven left it in there, or as the manifest says. */
    private static Optional<String> version(JarFile jar, String name) throws IOException {
        List<JarEntry> entries = jar.stream()
                .filter(entry -> entry.getName().endsWith("/" + name + "/pom.properties"))
                .toList();
        if (!entries.isEmpty()) {
            Properties properties = new Properties();
            try (InputStream in = jar.getInputStream(entries.get(0))) {
                properties.load(in);
            }
            return Optional.ofNullable(properties.getProperty("version"));
        }
        @Nullable Manifest manifest = jar.getManifest();
        if (manifest == null) {
            return Optional.empty();
        }
        Attributes attributes = manifest.getMainAttributes();
        return Optional.ofNullable(attributes.getValue("Implementation-Version"))
                .or(() -> Optional.ofNullable(attributes.getValue("Bundle-Version")));
    }
}
