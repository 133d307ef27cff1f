package dev.holdfast.lock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder that looks like a fresh clone to the launcher, with a mvn that makes an empty jar instead of building it and a java that
 * prints its arguments.
 */
final class Checkout {

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

    private static final String BUILD = "mkdir -p lock-cli/target && echo >lock-cli/target/lock.jar";

    private final Path root;
    private final Path tools;
    private final Path builds;

    Checkout(Path folder) throws IOException {
        root = Files.createDirectories(folder.resolve("the checkout"));
        tools = Files.createDirectories(folder.resolve("tools"));
        builds = Files.createFile(folder.resolve("builds"));
        Executable.write(root.resolve("lock"), Files.readString(Path.of(System.getProperty("lock.script"))));
        Files.createFile(root.resolve("pom.xml"));
        for (String module :
                List.of("lock-api", "lock-composite", "lock-jdbc", "lock-redis", "lock-cli", "lock-bench")) {
            Files.createDirectories(root.resolve(module).resolve("src/main/java"));
            Files.createFile(root.resolve(module).resolve("pom.xml"));
            Files.createFile(root.resolve(module).resolve("src/main/java/Source.java"));
        }
        for (String tool : TOOLS) {
            link(tool);
        }
        mvn(BUILD);
        tool("java", "case $1 in -version) echo 'a version \"17.0.1\"' ;; *) echo \"$@\" ;; esac");
    }

    /** The real java, beside which there is no release file, and a mvn that copies the real jar. */
    void real() throws IOException {
        tool("java", "exec " + found("java") + " \"$@\"");
        mvn("mkdir -p lock-cli/target && cp '" + System.getProperty("lock.jar") + "' lock-cli/target/lock.jar");
    }

    /** Its build takes long enough for others to come meanwhile. */
    void slowMvn() throws IOException {
        mvn("sleep 0.5\n" + BUILD);
    }

    /** Puts a tool of this machine in the path. */
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

    /** Puts a tool of this test's in the path; never through a link, which would replace this machine's. */
    void tool(String tool, String script) throws IOException {
        Files.deleteIfExists(tools.resolve(tool));
        Executable.write(tools.resolve(tool), "#!/bin/sh\n" + script + "\n");
    }

    void without(String tool) throws IOException {
        Files.delete(tools.resolve(tool));
    }

    /** What mvn does: it talks on standard output and reads its input, as the real one might. */
    void mvn(String build) throws IOException {
        tool("mvn", "echo building\ncat >/dev/null\necho \"$@\" >>'" + builds + "'\n" + build);
    }

    Path script() {
        return root.resolve("lock");
    }

    Path file(String name) {
        return root.resolve(name);
    }

    List<String> builds() throws IOException {
        return Files.readAllLines(builds);
    }

    /** The launcher, or a link to it, with nothing but the tools in its path. */
    ProcessBuilder launch(Path script, String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of(script.toString()), Stream.of(arguments))
                .toList());
        builder.environment().put("PATH", tools.toString());
        builder.environment().remove("JAVA_HOME");
        return builder.redirectInput(Path.of("/dev/null").toFile());
    }
}
