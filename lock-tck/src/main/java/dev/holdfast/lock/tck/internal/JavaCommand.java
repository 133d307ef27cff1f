package dev.holdfast.lock.tck.internal;

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
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        return command;
    }
}
