package dev.holdfast.lock.tck.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs JUnit in a process of its own, with other jars of JUnit before those of this build. */
class JUnitVersionsTest {

    /** A class of each artifact that may be another one. */
    private static final String API = "org/junit/jupiter/api/Test.class";

    @TempDir
    Path files;

    @ParameterizedTest
    @ValueSource(strings = {"5.10.2", "5.14.1"})
    void run_besideAnOlderApi_failsWithTheLinesThatMendIt(String version) throws Exception {
        Path jar = jarOf(version);

        Outcome outcome = launch(List.of(jar));

        assertThat(outcome.exit()).isNotZero();
        assertThat(outcome.output())
                .contains("junit-jupiter-api " + version + " in " + jar.toFile().toURI())
                .contains("it needs JUnit " + builtWith())
                .contains("junit-jupiter-engine " + builtWith())
                .contains("<artifactId>junit-bom</artifactId>")
                .contains("<version>" + builtWith() + "</version>")
                .doesNotContain("discovered");
    }

    @Test
    void run_besideAnotherPatchOfTheApi_goesOn() throws Exception {
        String patch = builtWith().replaceFirst("\\.\\d+$", ".77");

        Outcome outcome = launch(List.of(jarOf(patch)));

        assertThat(outcome.output()).contains("discovered");
        assertThat(outcome.exit()).isZero();
    }

    @Test
    void run_withTheJUnitOfTheKit_goesOn() throws Exception {
        Outcome outcome = launch(List.of());

        assertThat(outcome.output()).contains("discovered");
        assertThat(outcome.exit()).isZero();
    }

    private record Outcome(int exit, String output) {}

    private Outcome launch(List<Path> before) throws Exception {
        List<String> command = new ArrayList<>(JavaCommand.of(Launch.class, files, List.of()));
        int classPath = command.indexOf("-cp") + 1;
        for (Path jar : before) {
            command.set(classPath, jar + File.pathSeparator + command.get(classPath));
        }
        Path output = files.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new Outcome(process.waitFor(), Files.readString(output));
    }

    private static String builtWith() {
        return Test.class.getPackage().getImplementationVersion();
    }

    /** The jar of that version from the local repository if another build has left it there, or one that says to be of it. */
    private Path jarOf(String version) throws IOException {
        String name = "junit-jupiter-api-" + version + ".jar";
        Path own = Path.of(
                Test.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        Path old = own.getParent().resolveSibling(version).resolve(name);
        if (Files.exists(old)) {
            return old;
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        Path jar = files.resolve(name);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(file, manifest);
                InputStream type = Test.class.getResourceAsStream("/" + API)) {
            entries.putNextEntry(new ZipEntry(API));
            type.transferTo(entries);
        }
        return jar;
    }

    /** Discovers a test as a build tool does. */
    static final class Launch {

        private Launch() {}

        public static void main(String[] arguments) {
            try (LauncherSession session = LauncherFactory.openSession()) {
                session.getLauncher()
                        .discover(LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(JUnitVersionsTest.class))
                                .build());
                System.out.println("discovered");
            }
        }
    }
}
