package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.schema.DatabaseSchema.SchemaTask;
import dev.holdfast.lock.spi.support.Deadline;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of the process that sets up a database file. SQLite has no lock that outlives a transaction, and Flyway has none for it,
 * so this is a file lock of the operating system on a file beside the database. It ends with its process, even if the process is
 * killed.
 */
final class SetupLock {

    /** File locks exclude processes; this lock excludes the threads of this one. */
    private static final ReentrantLock THREADS = new ReentrantLock();

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private SetupLock() {}

    static void runLocked(Optional<Path> file, Deadline deadline, SchemaTask task) throws SQLException {
        boolean isMine = false;
        try {
            isMine = THREADS.tryLock(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS);
            if (!isMine) {
                throw tookTooLong("another thread");
            }
            if (file.isPresent()) {
                runWithFileLock(file.get().resolveSibling(file.get().getFileName() + ".setup"), deadline, task);
            } else {
                task.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockUnavailableException("interrupted while another thread set up the database", e);
        } finally {
            if (isMine) {
                THREADS.unlock();
            }
        }
    }

    private static void runWithFileLock(Path lockFile, Deadline deadline, SchemaTask task) throws SQLException {
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (!tryLock(channel)) {
                if (deadline.isOver()) {
                    throw tookTooLong("another process, which has locked " + lockFile);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            task.run(); // the file stays: if it were deleted, one process could lock the old one and another a new one
        } catch (IOException e) {
            throw new LockUnavailableException("cannot lock " + lockFile + " to set up the database", e);
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // another copy of this class in the same process
        }
    }

    private static LockUnavailableException tookTooLong(String locker) {
        return new LockUnavailableException(
                "the database is being set up by " + locker + "; this takes too long", null);
    }
}
