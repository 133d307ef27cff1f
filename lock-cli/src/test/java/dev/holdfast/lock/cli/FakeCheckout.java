package dev.holdfast.lock.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder that looks like a fresh clone to the scripts that run Holdfast, with a mvn that creates an empty jar and a java that
 * prints its arguments.
 */
final class FakeCheckout {

    private static final List<String> TOOLS = List.of(
            "sh",
            "dirname",
            "readlink",
            "find",
            "head",
            "mkdir",
            "cp",
            "mv",
            "cat",
            "rm",
            "sleep",
            "sed",
            "printf",
            "env",
            "echo",
            "true");

    private static final List<String> MODULES = List.of(
            "lock-api",
            "lock-composite",
            "lock-jdbc",
            "lock-redis",
            "lock-spring",
            "lock-tck",
            "lock-cli",
            "lock-bench");

    private static final String BUILD = "mkdir -p lock-cli/target && echo >lock-cli/target/lock.jar";

    private final Path root;
    private final Path tools;
    private final Path builds;

    FakeCheckout(Path folder) throws IOException {
        root = Files.createDirectories(folder.resolve("the checkout"));
        tools = Files.createDirectories(folder.resolve("tools"));
        builds = Files.createFile(folder.resolve("builds"));
        Files.createFile(root.resolve("pom.xml"));
        for (String module : MODULES) {
            Files.createDirectories(root.resolve(module).resolve("src/main/java"));
            Files.createFile(root.resolve(module).resolve("pom.xml"));
            Files.createFile(root.resolve(module).resolve("src/main/java/Source.java"));
        }
        Path real = Path.of(System.getProperty("lock.checkout"));
        for (String script : List.of("lock", "lock-bench/bench", "lock-bench/demo")) {
            ExecutableFile.write(root.resolve(script), Files.readString(real.resolve(script)));
        }
        Files.copy(real.resolve("lock-cli/launch.sh"), root.resolve("lock-cli/launch.sh"));
        for (String tool : TOOLS) {
            link(tool);
        }
        mvn(BUILD);
        tool("java", "case $1 in -version) echo 'a version \"17.0.1\"' ;; *) echo \"$@\" ;; esac");
    }

    /** Uses the real java, without a release file beside it, and a mvn that copies the real jar. */
    void useRealJava() throws IOException {
        tool("java", "exec " + found("java") + " \"$@\"");
        mvn("mkdir -p lock-cli/target && cp '" + System.getProperty("lock.jar") + "' lock-cli/target/lock.jar");
    }

    /** Uses a mvn that takes long enough for other launchers to start meanwhile. */
    void useSlowMvn() throws IOException {
        mvn("sleep 0.5\n" + BUILD);
    }

    /** Adds a tool of this machine to the PATH. */
    void link(String tool) throws IOException {
        Files.deleteIfExists(tools.resolve(tool));
        Files.createSymbolicLink(tools.resolve(tool), found(tool));
    }

    private static Path found(String tool) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .map(place -> Path.of(place, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    /** Adds a script to the PATH as a tool; never through a link, which would overwrite this machine's tool. */
    void tool(String tool, String script) throws IOException {
        Files.deleteIfExists(tools.resolve(tool));
        ExecutableFile.write(tools.resolve(tool), "#!/bin/sh\n" + script + "\n");
    }

    /** Removes the links to tools, of which JUnit would warn when it deletes the folder. */
    void removeLinks() throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(tools, Files::isSymbolicLink)) {
            for (Path link : all) {
                Files.delete(link);
            }
        }
    }

    void remove(String tool) throws IOException {
        Files.delete(tools.resolve(tool));
    }

    /** Uses this script as mvn; it writes to standard output and reads its input, as the real one might. */
    void mvn(String build) throws IOException {
        tool("mvn", "echo building\ncat >/dev/null\necho \"$@\" >>'" + builds + "'\n" + build);
    }

    /** The launcher. */
    Path script() {
        return root.resolve("lock");
    }

    Path file(String name) {
        return root.resolve(name);
    }

    List<String> builds() throws IOException {
        return Files.readAllLines(builds);
    }

    /** The launcher, another script, or a link to one, with only the tools in its PATH; not yet started. */
    ProcessBuilder launch(Path script, String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of(script.toString()), Stream.of(arguments))
                .toList());
        builder.environment().put("PATH", tools.toString());
        builder.environment().remove("JAVA_HOME");
        return builder.redirectInput(Path.of("/dev/null").toFile());
    }
}
