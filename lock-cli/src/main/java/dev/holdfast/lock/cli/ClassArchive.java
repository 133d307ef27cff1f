package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

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
 * An archive of the classes that the command line loads, with which Java starts faster. The launcher names its file, once for each
 * jar and JDK, and later tells Java to use it.
 *
 * <p>It is made by another process, from commands on stores of its own, so that it does not depend on what the first user does;
 * and after the command, whose start it does not delay. Nothing here fails: without the archive, Java is as slow as before.
 */
final class ClassArchive {

    /** The property in which the launcher names the file that is to be made. */
    static final String FILE = "holdfast.class-archive";

    /** From this JDK on the archive has methods' profiles and linked classes as well. */
    private static final int FIRST_WITH_AOT_CACHE = 25;

    private static final int LONGEST_SECONDS = 60;
    /** Statuses from here on are those of signals: something wants this process to end. */
    private static final int FIRST_OF_SIGNALS = 128;

    /** All that remains of the environment: its settings name the user's own stores. */
    private static final Set<String> ENVIRONMENT = Set.of("PATH", "LC_ALL");

    private ClassArchive() {}

    /** The option with which Java uses an archive, as the launcher gives it. */
    static String option(Path archive) {
        return (isAot() ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + archive;
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
                try (FileChannel written = FileChannel.open(made, StandardOpenOption.READ)) {
                    written.force(true); // a JDK may crash on one that is cut off
                }
                Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
            } else if (status < FIRST_OF_SIGNALS) {
                // This JDK cannot make it: an empty file, so that it is not tried after each command.
                Files.deleteIfExists(archive);
                Files.createFile(archive);
            }
        } finally {
            delete(work);
        }
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
                        work.toString())
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD);
        builder.environment().keySet().retainAll(ENVIRONMENT);
        Process process = builder.start();
        Thread ending = DaemonThreadFactory.unstarted("end archiving", () -> end(process));
        Runtime.getRuntime().addShutdownHook(ending);
        try {
            if (process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            end(process);
            process.waitFor();
            return ExitStatus.INTERNAL;
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
     * Does what the command line is mostly used for, in the folder given: on SQLite all of it, and on the stores with a server as
     * much as there is without one.
     */
    public static void main(String[] arguments) throws IOException {
        Path work = Path.of(arguments[0]);
        Path sqlite = Files.writeString(
                work.resolve("sqlite.properties"),
                "lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:" + work.resolve("lock.db") + "\n");
        Path redis = Files.writeString(
                work.resolve("redis.properties"), "lock.provider=redis\nlock.redis.uri=redis://127.0.0.1:1\n");
        Path postgresql = Files.writeString(
                work.resolve("postgresql.properties"),
                "lock.provider=jdbc\nlock.jdbc.url=jdbc:postgresql://127.0.0.1:1/x\n");
        execute("run", "--config", sqlite.toString(), "a", "--", "true");
        for (Path store : List.of(sqlite, redis, postgresql)) {
            execute("list", "--config", store.toString());
        }
        System.exit(0);
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
