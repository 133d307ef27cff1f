package dev.holdfast.lock.tck.internal;

import java.io.File;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a Java process with the class path of this one, tuned for a quick start. */
public final class JavaCommand {

    private JavaCommand() {}

    /**
     * Builds the command line.
     *
     * @param temporary the directory for temporary files, which the test deletes even if the process is killed
     */
    public static List<String> of(Class<?> main, Path temporary, List<String> arguments) {
        return of(main, temporary, List.of(), arguments);
    }

    /** The same with more options of the JVM. */
    public static List<String> of(Class<?> main, Path temporary, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                classPath()));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(arguments);
        return command;
    }

    /** The class path of this process, preceded by the additions of the context class loader. */
    private static String classPath() {
        List<String> all = new ArrayList<>();
        for (ClassLoader loader = Thread.currentThread().getContextClassLoader();
                loader != null;
                loader = loader.getParent()) {
            if (loader instanceof URLClassLoader urls) {
                for (URL each : urls.getURLs()) {
                    all.add(Path.of(URI.create(each.toString())).toString());
                }
            }
        }
        all.add(System.getProperty("java.class.path"));
        return String.join(File.pathSeparator, all);
    }
}
