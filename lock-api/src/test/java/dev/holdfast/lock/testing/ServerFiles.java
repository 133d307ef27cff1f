package dev.holdfast.lock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directories for the files of test servers. With {@code -Dlock.test.files=memory}, as in the usual build, they are on a file
 * system in memory if there is one: it survives a kill of the server, and no grant waits for a disk. Otherwise, as in a long build
 * and for measurements, they are with other temporary files.
 */
public final class ServerFiles {

    /** The system property that selects the place. */
    public static final String PROPERTY = "lock.test.files";

    private static final Path MEMORY = Path.of("/dev/shm");

    /** What all servers of a module write; a container may have less space in memory. */
    private static final long ENOUGH = 2L << 30;

    private ServerFiles() {}

    /** A new directory for the files of servers, which the caller removes. */
    public static Path newDirectory(String prefix) throws IOException {
        return isInMemory() ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix);
    }

    private static boolean isInMemory() throws IOException {
        return "memory".equals(System.getProperty(PROPERTY))
                && Files.isWritable(MEMORY)
                && Files.getFileStore(MEMORY).getUsableSpace() >= ENOUGH;
    }
}
