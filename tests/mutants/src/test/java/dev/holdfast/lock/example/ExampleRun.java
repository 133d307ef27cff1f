package dev.holdfast.lock.example;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.lock.tck.KitLauncher;
import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.tck.Rule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A copy of the example, and the report of a run of some rules on it. */
final class ExampleRun {

    private static final String TEST = "org.example.lock.files.DirectoryLockStoreTest";

    private final Path reports;

    private ExampleRun(Path reports) {
        this.reports = reports;
    }

    /** Makes the mistake in a copy, compiles it and runs the rule that the mistake breaks, in this process. */
    static ExampleRun with(Mistake mistake, Path folder) {
        try {
            Path project = Folders.copyOfTheExample(folder);
            mistake.make(project);
            return run(project, Set.of(mistake.rule()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compiles a copy as it is and runs these rules, in this process. */
    static ExampleRun of(Set<Rule> rules, Path folder) {
        try {
            return run(Folders.copyOfTheExample(folder), rules);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ExampleRun run(Path project, Set<Rule> rules) throws IOException {
        Path classes = Files.createDirectories(project.resolve("target").resolve("classes"));
        compile(project, classes);
        Path reports = project.resolve("conformance");
        try {
            run(rules, new URL[] {url(classes), url(project.resolve("src/main/resources"))}, reports);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return new ExampleRun(reports);
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
    private static void run(Set<Rule> rules, URL[] path, Path reports) throws IOException, ClassNotFoundException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(path, ExampleRun.class.getClassLoader())) {
            thread.setContextClassLoader(loader);
            Class<?> test = loader.loadClass(TEST);
            LauncherFactory.create()
                    .execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(rules.stream()
                                    .map(rule -> selectMethod(test, KitLauncher.testOf(rule)))
                                    .toList())
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
