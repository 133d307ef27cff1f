package dev.holdfast.lock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the servers of tests keep their files. With {@code -Dlock.test.files=memory}, as in the usual build, that is in memory if
 * the system has a file system there: a server that is killed finds there what it wrote, as on a disk, and tests do not wait for
 * a disk at each grant. Otherwise, as in a long build and for measurements, it is where temporary files are.
 */
public final class ServerFiles {

    /** The system property that says where. */
    public static final String PROPERTY = "lock.test.files";

    private static final Path MEMORY = Path.of("/dev/shm");

    /** As much as all servers of a module write; a container may have less there. */
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
