package dev.holdfast.lock.example;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.lock.tck.KitLauncher;
import dev.holdfast.lock.tck.LockStoreContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A copy of the example with a mistake, and the report of a run of one rule on it. */
final class BrokenExample {

    private static final String TEST = "org.example.lock.files.DirectoryLockStoreTest";

    private final Path reports;

    private BrokenExample(Path reports) {
        this.reports = reports;
    }

    /** Makes the mistake in a copy, compiles it and runs the rule that the mistake breaks, in this process. */
    static BrokenExample run(Mistake mistake, Path folder) {
        try {
            Path project = Folders.copyOfTheExample(folder);
            mistake.make(project);
            Path classes = Files.createDirectories(project.resolve("target").resolve("classes"));
            compile(project, classes);
            Path reports = project.resolve("conformance");
            run(mistake, new URL[] {url(classes), url(project.resolve("src/main/resources"))}, reports);
            return new BrokenExample(reports);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static URL url(Path folder) throws IOException {
        return folder.toUri().toURL();
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
            if (name.endsWith(".java")
                    && !name.equals("module-info.java")
                    && !name.matches("(FileMutex|LockDir.*)Test.java")) {
                arguments.add(file.toString());
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new AssertionError(project + " cannot be compiled: see above");
        }
    }

    /** The provider is found by the context class loader. */
    private static void run(Mistake mistake, URL[] path, Path reports) throws IOException, ClassNotFoundException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(path, BrokenExample.class.getClassLoader())) {
            thread.setContextClassLoader(loader);
            LauncherFactory.create()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(selectMethod(loader.loadClass(TEST), KitLauncher.testOf(mistake.rule())))
                            .configurationParameter(LockStoreContract.REPORTS, reports.toString())
                            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                            .build());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** The report as {@code txt} or {@code json}. */
    String report(String format) {
        try {
            return Files.readString(reports.resolve(TEST + "." + format));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
