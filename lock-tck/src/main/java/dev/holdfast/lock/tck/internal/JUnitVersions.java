package dev.holdfast.lock.tck.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Ends a run before it begins if the versions of the JUnit jars do not match, or are older than the one that the kit was built
 * with. JUnit itself would then fail to discover any test, without giving the reason.
 */
public final class JUnitVersions implements LauncherSessionListener {

    /** Artifacts of JUnit, each with a class of it. */
    private static final List<Artifact> ARTIFACTS = List.of(
            new Artifact("junit-jupiter-api", "org/junit/jupiter/api/Test.class"),
            new Artifact("junit-jupiter-params", "org/junit/jupiter/params/ParameterizedTest.class"),
            new Artifact("junit-jupiter-engine", "org/junit/jupiter/engine/JupiterTestEngine.class"),
            new Artifact("junit-platform-commons", "org/junit/platform/commons/JUnitException.class"),
            new Artifact("junit-platform-engine", "org/junit/platform/engine/TestEngine.class"),
            new Artifact("junit-platform-launcher", "org/junit/platform/launcher/Launcher.class"));

    private record Artifact(String name, String type) {}

    /** An artifact as it is on the class path. */
    private record Found(String artifact, String version, URL jar) {

        /** Major and minor; those of the platform were counted from 1 until JUnit 5, where the others were counted from 5. */
        String release() {
            String[] parts = version.split("[.-]", 3);
            String minor = parts.length > 1 ? parts[1] : "0";
            return (parts[0].equals("1") ? "5" : parts[0]) + "." + minor;
        }

        String major() {
            return release().substring(0, release().indexOf('.'));
        }

        /** The launcher may be an IDE's, which works with other minor versions. */
        boolean isOfTheTool() {
            return artifact.equals("junit-platform-launcher");
        }

        String line() {
            return artifact + " " + version + " in " + jar;
        }
    }

    /** For JUnit, which finds the class as a service. */
    public JUnitVersions() {}

    /** @throws IllegalStateException if the versions do not match; the message has the lines for the POM that fix it */
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        List<Found> found =
                ARTIFACTS.stream().flatMap(each -> find(each).stream()).toList();
        String built = builtWith();
        String needed = built == null ? newest(found) : built;
        List<String> releases = found.stream()
                .filter(each -> !each.isOfTheTool())
                .map(Found::release)
                .distinct()
                .toList();
        boolean fits = releases.size() <= 1
                && found.stream().map(Found::major).distinct().count() <= 1
                && (built == null || releases.stream().noneMatch(each -> isOlder(each, built)));
        if (!fits) {
            throw new IllegalStateException(message(found, needed));
        }
    }

    private static String message(List<Found> found, String needed) {
        return "Holdfast's conformance kit cannot run: it needs JUnit " + needed
                + ", and these jars of JUnit do not match:\n  "
                + found.stream().map(Found::line).collect(Collectors.joining("\n  "))
                + "\nAn older one usually comes with another dependency. Put this in the POM, before other BOMs:\n\n"
                + """
                <dependencyManagement>
                  <dependencies>
                    <dependency>
                      <groupId>org.junit</groupId>
                      <artifactId>junit-bom</artifactId>
                      <version>VERSION</version>
                      <type>pom</type>
                      <scope>import</scope>
                    </dependency>
                  </dependencies>
                </dependencyManagement>

                With Gradle: testImplementation(enforcedPlatform("org.junit:junit-bom:VERSION"))
                """.replace("VERSION", needed);
    }

    /** Empty if the artifact is absent, or its version is not known. */
    private static Optional<Found> find(Artifact artifact) {
        URL type = Thread.currentThread().getContextClassLoader().getResource(artifact.type());
        try {
            if (type != null && type.openConnection() instanceof JarURLConnection jar) {
                jar.setUseCaches(false); // a cached jar would stay open
                try (var open = jar.getJarFile()) {
                    Manifest manifest = open.getManifest();
                    return Optional.ofNullable(manifest)
                            .map(all -> all.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION))
                            .map(version -> new Found(artifact.name(), version, jar.getJarFileURL()));
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + type, e);
        }
    }

    /** The version of JUnit's API that the kit was compiled with; null if its module descriptor does not say so. */
    private static @Nullable String builtWith() {
        String type = "/" + JUnitVersions.class.getName().replace('.', '/') + ".class";
        String own = String.valueOf(JUnitVersions.class.getResource(type));
        try (InputStream descriptor =
                URI.create(own.replace(type, "/module-info.class")).toURL().openStream()) {
            return ModuleDescriptor.read(descriptor).requires().stream()
                    .filter(each -> each.name().equals("org.junit.jupiter.api"))
                    .findFirst()
                    .flatMap(ModuleDescriptor.Requires::rawCompiledVersion)
                    .orElse(null);
        } catch (IOException e) {
            return null; // repackaged without its descriptor
        }
    }

    private static String newest(List<Found> found) {
        return found.stream()
                .max(Comparator.comparing(each -> ModuleDescriptor.Version.parse(each.release())))
                .map(Found::version)
                .orElse("of one version");
    }

    private static boolean isOlder(String release, String than) {
        return ModuleDescriptor.Version.parse(release)
                        .compareTo(ModuleDescriptor.Version.parse(than.replaceFirst("^(\\d+\\.\\d+).*", "$1")))
                < 0;
    }
}
