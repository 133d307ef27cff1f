package dev.holdfast.lock.example;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The kit against a copy of the example, in a process of its own. Ends with the test at the latest: should the test's own
 * process be killed, the pipe between them breaks.
 */
final class KitProcess implements AutoCloseable {

    private static final int HANGING_AFTER_MINUTES = 5;
    private static final int ABANDONED = 9;
    private static final String TEST = "org.example.lock.files.DirectoryLockStoreTest";

    private final Path project;
    private final Process process;

    private KitProcess(Path project, Process process) {
        this.project = project;
        this.process = process;
    }

    /**
     * Compiles the project against what this test runs on, and begins.
     *
     * @param promise whose rules are run, such as {@code P1}
     */
    static KitProcess start(Path project, String promise) throws IOException {
        Path classes = Files.createDirectories(project.resolve("target").resolve("classes"));
        compile(project, classes);
        String path = String.join(
                File.pathSeparator,
                classes.toString(),
                project.resolve("src/main/resources").toString(),
                System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        path,
                        KitProcess.class.getName(),
                        promise)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(project.resolve("kit.log").toFile())
                .start();
        return new KitProcess(project, process);
    }

    private static void compile(Path project, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--release",
                "17",
                "-proc:none",
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path")));
        for (Path file : Folders.files(project.resolve("src"))) {
            String name = file.getFileName().toString();
            if (name.endsWith(".java") && !name.equals("module-info.java")) {
                arguments.add(file.toString());
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new AssertionError(project + " cannot be compiled: see above");
        }
    }

    /** What the process does. Most tests wait most of the time: many at once make it short. */
    public static void main(String[] arguments) {
        Thread watch = new Thread(KitProcess::endWithTheTest, "ends with the test");
        watch.setDaemon(true);
        watch.start();
        PostDiscoveryFilter ofThePromise = found -> FilterResult.includedIf(
                !found.isTest() || found.getDisplayName().startsWith(arguments[0] + "."));
        LauncherFactory.create()
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(TEST))
                        .filters(ofThePromise)
                        .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                        .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                        .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "40")
                        .build());
    }

    /** Nothing is ever written to this process: its standard input ends when the process at the other end does. */
    private static void endWithTheTest() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // The other end is no more, too.
        }
        Runtime.getRuntime().halt(ABANDONED);
    }

    /** Does to the process what the death of this one would, and tells whether it ended of that. */
    boolean endsWhenAbandoned() throws IOException, InterruptedException {
        process.getOutputStream().close();
        return process.waitFor(HANGING_AFTER_MINUTES, TimeUnit.MINUTES) && process.exitValue() == ABANDONED;
    }

    /** The report as {@code txt} or {@code json}, when all tests are over. */
    String report(String format) throws IOException, InterruptedException {
        if (!process.waitFor(HANGING_AFTER_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new AssertionError("the kit did not end well: " + Files.readString(project.resolve("kit.log")));
        }
        return Files.readString(project.resolve("target").resolve("conformance").resolve(TEST + "." + format));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
