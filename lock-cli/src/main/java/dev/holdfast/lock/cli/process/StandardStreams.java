package dev.holdfast.lock.cli.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The standard streams of this process. The caller may have closed one: the system then gives its number to the next file that is
 * opened, such as one of Java's own, which the command would read or write. The command therefore gets {@code /dev/null} as such a
 * stream.
 *
 * <p>Only Linux shows the file behind a number. Elsewhere only the launcher opens closed streams.
 */
public final class StandardStreams {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final File NOWHERE = new File("/dev/null");

    /** Files that occupy the numbers of closed streams, so that no other file or connection of this process gets them. */
    private static final List<FileInputStream> PLUGS = new ArrayList<>();

    /** Whether the caller gave each stream, by number. */
    private static final boolean[] GIVEN = new boolean[3];

    static {
        for (int number = 0; number < GIVEN.length; number++) {
            GIVEN[number] = plugIfClosed(DESCRIPTORS.resolve(Integer.toString(number)));
        }
    }

    private StandardStreams() {}

    /** Looks at the streams, before anything else opens a file. */
    public static void look() {
        // The static initializer does it, once.
    }

    /** Whether standard output is a pipe or a socket, whose reader may end before everything is written. */
    public static boolean writesToReader() {
        try {
            String target = Files.readSymbolicLink(DESCRIPTORS.resolve("1")).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException unknown) {
            return false;
        }
    }

    /** Makes a process that is to be started use them. */
    static void passTo(ProcessBuilder builder) {
        builder.redirectInput(GIVEN[0] ? Redirect.INHERIT : Redirect.from(NOWHERE));
        builder.redirectOutput(GIVEN[1] ? Redirect.INHERIT : Redirect.DISCARD);
        builder.redirectError(GIVEN[2] ? Redirect.INHERIT : Redirect.DISCARD);
    }

    /** Returns whether the caller gave this stream; if it is closed, its number is used up. */
    private static boolean plugIfClosed(Path descriptor) {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return true;
        }
        if (!Files.exists(descriptor, LinkOption.NOFOLLOW_LINKS)) {
            try {
                // The lowest number that is free, which is this one.
                PLUGS.add(new FileInputStream(NOWHERE));
            } catch (IOException e) {
                throw new IllegalStateException("a standard stream is closed, and " + NOWHERE + " cannot be opened", e);
            }
            return false;
        }
        return !isJavas(descriptor);
    }

    /** Whether Java has opened this file for itself: one of its installation, or the jar. */
    private static boolean isJavas(Path descriptor) {
        try {
            Path target = Files.readSymbolicLink(descriptor);
            Path java = Path.of(System.getProperty("java.home")).toRealPath();
            if (target.startsWith(java)) {
                return true;
            }
            for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator, -1)) {
                if (!entry.isEmpty() && target.equals(Path.of(entry).toRealPath())) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }
}
