package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.process.SignalRouter;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An archive of the classes that the command line loads, with which Java starts faster, and beside it the native library of the
 * SQLite driver, which is otherwise unpacked and compared at each start. The launcher names the archive's file, once for each jar
 * and JDK, and later tells Java to use both.
 *
 * <p>It is made by another process, from commands on stores of its own, so that it does not depend on what the first user does;
 * and after the command, whose start it does not delay. Nothing here fails: without the archive, Java is as slow as before.
 */
final class ClassArchive {

    /** The property in which the launcher names the file that is to be made. */
    static final String FILE = "holdfast.class-archive";

    /** From this JDK on the archive has methods' profiles and linked classes as well. */
    private static final int FIRST_WITH_AOT_CACHE = 25;

    private static final int LONGEST_MINUTES = 5;
    /** Statuses from here on are those of signals: something wants this process to end. */
    private static final int FIRST_OF_SIGNALS = 128;

    /** All that remains of the environment: its settings name the user's own stores. */
    private static final Set<String> ENVIRONMENT = Set.of("PATH", "LC_ALL");

    private ClassArchive() {}

    /** The options with which Java uses an archive, as the launcher gives them. */
    static List<String> options(Path archive) {
        return List.of(
                (isAot() ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + archive,
                "-D" + SqliteTempDir.LIBRARY_FOLDER + "=" + library(archive));
    }

    /** The folder of the native library, in which it has the name that the driver expects. */
    private static Path library(Path archive) {
        return archive.resolveSibling(requireNonNull(archive.getFileName()) + ".sqlite");
    }

    private static boolean isAot() {
        return Runtime.version().feature() >= FIRST_WITH_AOT_CACHE;
    }

    /** Makes the archive, if the launcher asks for it, at the end of a process that ends by itself with this status. */
    static void makeIfWanted(int exitStatus) {
        String file = System.getProperty(FILE, "");
        if (file.isEmpty() || exitStatus >= FIRST_OF_SIGNALS) {
            return;
        }
        try {
            make(Path.of(file));
        } catch (IOException e) {
            // There is no place for it: Java starts without one.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One process at a time makes it; another one that ends meanwhile leaves it at that. */
    private static void make(Path archive) throws IOException, InterruptedException {
        Files.createDirectories(requireNonNull(archive.getParent()));
        Path jar = Path.of(System.getProperty("java.class.path").split(File.pathSeparator, 2)[0]);
        try (FileChannel turn = FileChannel.open(
                        archive.resolveSibling("archiving"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock only = turn.tryLock()) {
            if (only != null && !isCurrent(archive, jar)) {
                make(archive, jar);
            }
        }
    }

    private static boolean isCurrent(Path archive, Path jar) throws IOException {
        return Files.exists(archive)
                && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) >= 0;
    }

    private static void make(Path archive, Path jar) throws IOException, InterruptedException {
        Path work = archive.resolveSibling("archive");
        delete(work); // of a process that was killed
        Files.createDirectory(work);
        try {
            Path made = work.resolve("made");
            int status = record(made, jar, work);
            if (status == 0 && Files.exists(made)) {
                Files.createDirectories(library(archive));
                for (Path file : files(library(made))) { // first, as it is used with the archive
                    publish(file, library(archive).resolve(requireNonNull(file.getFileName())));
                }
                publish(made, archive);
            } else if (status < FIRST_OF_SIGNALS) {
                // This JDK cannot make it: an empty file, so that it is not tried after each command.
                Files.deleteIfExists(archive);
                Files.createFile(archive);
            }
        } finally {
            delete(work);
        }
    }

    /** A JDK may crash on a file that is cut off. */
    private static void publish(Path made, Path file) throws IOException {
        try (FileChannel written = FileChannel.open(made, StandardOpenOption.READ)) {
            written.force(true);
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Runs {@link #main} in a JVM that archives the classes it has loaded, and returns its status. */
    private static int record(Path made, Path jar, Path work) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData",
                        (isAot() ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + made,
                        "-Djava.io.tmpdir=" + work,
                        "-cp",
                        jar.toString(),
                        ClassArchive.class.getName(),
                        made.toString())
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD);
        builder.environment().keySet().retainAll(ENVIRONMENT);
        Process process = builder.start();
        Thread ending = DaemonThreadFactory.unstarted("end archiving", () -> end(process));
        Runtime.getRuntime().addShutdownHook(ending);
        try {
            if (!process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
                end(process);
            }
            return process.waitFor();
        } finally {
            Runtime.getRuntime().removeShutdownHook(ending);
        }
    }

    /** Ends it with the process that it starts itself, which writes the archive. */
    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static void delete(Path work) throws IOException {
        if (!Files.exists(work)) {
            return;
        }
        try (Stream<Path> all = Files.walk(work)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /**
     * Does what the command line is mostly used for, in the folder of the archive named: on SQLite all of it, and on the stores
     * with a server as much as there is without one.
     */
    public static void main(String[] arguments) throws IOException {
        Path made = Path.of(arguments[0]);
        Path work = requireNonNull(made.getParent());
        Path sqlite = Files.writeString(
                work.resolve("sqlite.properties"),
                "lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:" + work.resolve("lock.db") + "\n");
        Path redis = Files.writeString(
                work.resolve("redis.properties"), "lock.provider=redis\nlock.redis.uri=redis://127.0.0.1:1\n");
        Path postgresql = Files.writeString(
                work.resolve("postgresql.properties"),
                "lock.provider=jdbc\nlock.jdbc.url=jdbc:postgresql://127.0.0.1:1/x\n");
        unpack(library(made), sqlite);
        execute("run", "--config", sqlite.toString(), "a", "--", "true");
        for (Path store : List.of(sqlite, redis, postgresql)) {
            execute("list", "--config", store.toString());
        }
        System.exit(0);
    }

    /** Keeps the library that the driver unpacks, in this process, into a file of a random name that ends in the library's own. */
    private static void unpack(Path library, Path configuration) throws IOException {
        Path unpacked = Files.createDirectory(library.resolveSibling("unpacked"));
        Files.createDirectory(library);
        System.setProperty(SqliteTempDir.PROPERTY, unpacked.toString());
        try {
            Locks.open(configuration).close();
        } catch (LockException e) {
            return; // There is no SQLite here, and the other stores start faster all the same.
        } finally {
            System.clearProperty(SqliteTempDir.PROPERTY);
        }
        for (Path file : files(unpacked)) {
            String name = file.toString();
            if (!name.endsWith(".lck")) {
                Path copy = library.resolve(name.substring(name.lastIndexOf('-') + 1));
                Files.write(copy, Files.readAllBytes(file)); // for other users too, if the umask permits it
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static void execute(String... words) {
        Console nowhere = new Console(
                Writer.nullWriter(),
                new Messages(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8)),
                new Prompt.OnTerminal(System.err, System.in),
                (keys, redraw) -> Optional.empty(),
                SignalRouter::forCurrentThread);
        Main.execute(words, nowhere);
    }
}
