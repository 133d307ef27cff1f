package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.database.Database.Exclusive;
import dev.holdfast.lock.spi.Deadline;
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
 * The turn to set up a database file. SQLite has no lock that outlives a transaction, and Flyway brings none for it, so it is
 * the operating system's on a file beside the database. It ends with its process, however that ends.
 */
final class Setup {

    /** File locks are the process's; this one is for its threads. */
    private static final ReentrantLock TURN = new ReentrantLock();

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private Setup() {}

    static void alone(Optional<Path> file, Deadline deadline, Exclusive work) throws SQLException {
        boolean mine = false;
        try {
            mine = TURN.tryLock(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS);
            if (!mine) {
                throw tookTooLong("this process");
            }
            if (file.isPresent()) {
                withFileLock(file.get().resolveSibling(file.get().getFileName() + ".setup"), deadline, work);
            } else {
                work.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockUnavailableException("interrupted while another thread set up the database", e);
        } finally {
            if (mine) {
                TURN.unlock();
            }
        }
    }

    private static void withFileLock(Path beside, Deadline deadline, Exclusive work) throws SQLException {
        try (FileChannel channel = FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (!isLocked(channel)) {
                if (deadline.isOver()) {
                    throw tookTooLong("another process, which has " + beside);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            work.run(); // the file stays: were it deleted, one process could hold the old one and another the new one
        } catch (IOException e) {
            throw new LockUnavailableException("cannot set up the database beside " + beside, e);
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // another copy of this class in the same process
        }
    }

    private static LockUnavailableException tookTooLong(String whose) {
        return new LockUnavailableException(
                "the database is being set up by " + whose + ", and it takes too long", null);
    }
}
