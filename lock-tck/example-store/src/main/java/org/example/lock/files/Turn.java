package org.example.lock.files;

import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/** Excludes all others from a directory, in this process and in others, until it is closed. Death closes it as well. */
final class Turn implements AutoCloseable {

    /**
     * A file lock excludes processes, but not the threads of one: they have a lock for each file, whichever store asks. (Two
     * class loaders that each have this class would need more: they cannot see each other's.)
     */
    private static final Map<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

    private final ReentrantLock threads;
    private final FileChannel processes;

    private Turn(ReentrantLock threads, FileChannel processes) {
        this.threads = threads;
        this.processes = processes;
    }

    /** Never opens a file that is there: closing it would end the lock that another thread of this process may have. */
    static void make(Path file) throws IOException {
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // As it should be, but for the first time.
        }
    }

    /** @throws TimeoutException if others take too long: the caller says Unavailable, not Busy, as nobody has looked */
    static Turn take(Path file, Duration timeout) throws IOException, InterruptedException, TimeoutException {
        long start = System.nanoTime();
        ReentrantLock threads = THREADS.computeIfAbsent(file, anyFile -> new ReentrantLock());
        if (!threads.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("no turn within " + timeout);
        }
        try {
            return new Turn(threads, lock(file, start, timeout));
        } catch (Throwable e) {
            threads.unlock();
            throw e;
        }
    }

    /** A file that is locked for as long as it is open. */
    private static FileChannel lock(Path file, long start, Duration timeout)
            throws IOException, InterruptedException, TimeoutException {
        FileChannel channel = FileChannel.open(file, WRITE);
        try {
            while (channel.tryLock() == null) { // lock() would wait beyond the timeout
                if (System.nanoTime() - start > timeout.toNanos()) {
                    throw new TimeoutException("no turn within " + timeout);
                }
                Thread.sleep(1);
            }
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** The file first: the next thread must not find it still locked. */
    @Override
    public void close() throws IOException {
        try {
            processes.close();
        } finally {
            threads.unlock();
        }
    }
}
