package dev.holdfast.lock.architecture;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds the elements of a module's public API without a javadoc comment, by the compiler's doclint. Missing tags don't count, as
 * tags that repeat a sentence are noise.
 */
final class PublicApiComments {

    private PublicApiComments() {}

    /**
     * File and line of each element without a comment.
     *
     * @param folder of the module
     * @param packages that it exports
     */
    static List<String> missing(Path folder, List<String> packages) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, Locale.ROOT, null)) {
            // the other packages are compiled already, and on the class path
            List<Path> exported = new ArrayList<>();
            for (String each : packages) {
                exported.addAll(sources(folder.resolve("src/main/java").resolve(each.replace('.', '/'))));
            }
            List<String> options = List.of(
                    "-proc:none",
                    "-Xmaxwarns",
                    "10000",
                    "-Xdoclint:missing/protected",
                    "-Xdoclint/package:" + String.join(",", packages),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-implicit:none");
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, found, options, null, files.getJavaFileObjectsFromPaths(exported));
            task.analyze();
        }
        if (found.getDiagnostics().stream().anyMatch(each -> each.getKind() == Diagnostic.Kind.ERROR)) {
            throw new AssertionError("the sources of " + folder + " do not compile: " + found.getDiagnostics());
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getMessage(Locale.ROOT).contains("no comment"))
                .map(PublicApiComments::place)
                .toList();
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static String place(Diagnostic<? extends JavaFileObject> diagnostic) {
        return Path.of(diagnostic.getSource().toUri()).getFileName() + ":" + diagnostic.getLineNumber();
    }
}
