package dev.holdfast.lock.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the Maven and the JDK that run this test, with the same settings but another repository. */
final class NestedMaven {

    private static final int HANGING_AFTER_MINUTES = 8;

    /** The build is over before it pays to compile more. */
    private static final String JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private NestedMaven() {}

    /** Runs a build; fails with its output if the build fails. */
    static void run(Path project, StagedRepository repository, String... goals) throws Exception {
        // Without this folder Maven would find ours in a parent folder, and use its options.
        Files.createDirectories(project.resolve(".mvn"));
        List<String> command = new ArrayList<>(List.of(
                mvn().toString(),
                "--batch-mode",
                "--no-transfer-progress",
                "-Dstyle.color=never",
                "-DargLine=" + JVM_OPTIONS,
                "-Dmaven.repo.local=" + repository.path(),
                "-Dholdfast.version=" + repository.version()));
        String settings = setting("settings");
        if (Files.exists(Path.of(settings))) {
            command.addAll(List.of("--settings", settings));
        }
        if (Boolean.parseBoolean(setting("offline"))) {
            command.add("--offline");
        }
        command.addAll(List.of(goals));
        Path log = project.resolve("maven.log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        removeOuterBuild(builder.environment());
        builder.environment().merge("MAVEN_OPTS", JVM_OPTIONS, (theirs, ours) -> ours + " " + theirs);
        int status = statusOf(builder.start());
        if (status != 0) {
            throw new AssertionError(
                    "status " + status + " of " + String.join(" ", command) + "\n" + Files.readString(log));
        }
    }

    /** Removes the folder, the arguments and the debugger of the outer build. */
    static void removeOuterBuild(Map<String, String> environment) {
        environment.keySet().removeAll(List.of("MAVEN_BASEDIR", "MAVEN_ARGS", "MAVEN_DEBUG_OPTS"));
        for (String options : List.of("MAVEN_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")) {
            if (environment.getOrDefault(options, "").contains("jdwp")) {
                environment.remove(options);
            }
        }
    }

    /** The exit status; leaves no process running in any case. */
    private static int statusOf(Process maven) throws InterruptedException, IOException {
        try {
            maven.getOutputStream().close();
            if (!maven.waitFor(HANGING_AFTER_MINUTES, TimeUnit.MINUTES)) {
                throw new AssertionError("the nested Maven hangs: see its maven.log");
            }
            return maven.exitValue();
        } finally {
            maven.descendants().forEach(ProcessHandle::destroyForcibly);
            maven.destroyForcibly();
        }
    }

    private static Path mvn() {
        Path bin = Path.of(System.getProperty("example.maven.home"), "bin");
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        return bin.resolve(isWindows ? "mvn.cmd" : "mvn");
    }

    private static String setting(String name) {
        return System.getProperty("example.maven." + name).substring(name.length() + "=".length());
    }
}
