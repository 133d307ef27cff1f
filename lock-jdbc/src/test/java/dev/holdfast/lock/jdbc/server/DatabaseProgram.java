package dev.holdfast.lock.jdbc.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** The program of a {@link MariaDbServer}: MariaDB's or MySQL's. */
interface DatabaseProgram {

    /** The user that tests are, from the loopback. */
    String USERNAME = "root";

    /** That user's password. */
    String PASSWORD = "for tests";

    /** How the program is started with its files in a directory, {@code data} and {@code tmp} among them. */
    List<String> command(Path directory, List<String> options);

    /** Makes the data that a server begins with, in which {@link #USERNAME} may do everything. */
    void makeData(Path directory, Path log) throws IOException;

    /** What {@code name} means: the path of a program, or {@code mariadb} or {@code mysql} for that of the artifact. */
    static DatabaseProgram named(String name) throws IOException {
        if (name.equals("mariadb")) {
            return MariaDbProgram.ofArtifact();
        } else if (name.equals("mysql")) {
            return MySqlProgram.ofArtifact();
        }
        Path program = Path.of(name).toRealPath();
        return program.getFileName().toString().startsWith("mysqld")
                ? MySqlProgram.at(program)
                : MariaDbProgram.at(program);
    }

    /** Runs a command that has to succeed, with its output in a log. */
    static void run(List<String> command, Path input, Path log) throws IOException {
        try {
            int status = new ProcessBuilder(command)
                    .redirectInput(input.toFile())
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IOException(command.get(0) + " ended with status " + status
                        + " (if it says that a library is missing, install that): " + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The first of some places that is there. */
    static Path firstOf(Stream<Path> places, Path program) throws IOException {
        return places.filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new IOException("the files that " + program + " needs are not beside it"));
    }

    /** Makes the data that each server of a program begins with, once for all of them, in the folder of the program. */
    static void makeTemplate(DatabaseProgram program, Path home) throws IOException {
        Path directory = Files.createDirectories(home.resolve("template"));
        Files.createDirectory(directory.resolve("tmp"));
        program.makeData(directory, directory.resolve("log"));
    }

    /** The data that {@link #makeTemplate} has made. */
    static Path template(Path home) {
        return home.resolve("template/data");
    }

    /** Copies a template into the directory of a server. {@code auto.cnf} is an identifier, of which each server has its own. */
    static void copy(Path template, Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(template)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                if (!each.endsWith("auto.cnf")) {
                    Files.copy(
                            each,
                            directory.resolve("data").resolve(template.relativize(each)),
                            StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }
}
