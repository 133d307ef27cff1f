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

/** Excludes other threads and other processes until it is closed. It is closed when the process ends, too. */
final class FileMutex implements AutoCloseable {

    /**
     * A file lock excludes processes, but not the threads of one process: for those each file has a lock. It is kept
     * in the system properties, with types of the JDK, as a second class loader may have another copy of this class: a channel
     * that the copy closes would release the file lock of the first.
     */
    @SuppressWarnings("unchecked")
    private static final Map<String, ReentrantLock> THREADS = (Map<String, ReentrantLock>) System.getProperties()
            .computeIfAbsent(FileMutex.class.getName(), anyKey -> new ConcurrentHashMap<String, ReentrantLock>());

    private final ReentrantLock threads;
    private final FileChannel processes;

    private FileMutex(ReentrantLock threads, FileChannel processes) {
        this.threads = threads;
        this.processes = processes;
    }

    /**
     * Creates the file if it does not exist, while no thread has locked it: creation opens and closes the file, and that would
     * release the file lock of another thread of this process.
     *
     * @param file the real path, as there is one lock for each path
     */
    static void create(Path file, Duration timeout) throws IOException, InterruptedException, TimeoutException {
        ReentrantLock threads = await(file, timeout);
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // it exists, except for the first time
        } finally {
            threads.unlock();
        }
    }

    /**
     * Waits until the file is locked for the calling thread.
     *
     * @param file the real path, as there is one lock for each path
     * @throws TimeoutException if that takes too long: the reply is then Unavailable, not Busy, as the lock was not read
     */
    static FileMutex lock(Path file, Duration timeout) throws IOException, InterruptedException, TimeoutException {
        long start = System.nanoTime();
        ReentrantLock threads = await(file, timeout);
        try {
            return new FileMutex(threads, lockFile(file, start, timeout));
        } catch (Throwable e) {
            threads.unlock();
            throw e;
        }
    }

    private static ReentrantLock await(Path file, Duration timeout) throws InterruptedException, TimeoutException {
        ReentrantLock threads = THREADS.computeIfAbsent(file.toString(), anyFile -> new ReentrantLock());
        if (!threads.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException(file + " is still locked after " + timeout);
        }
        return threads;
    }

    /** Opens the file, which is locked until it is closed. */
    private static FileChannel lockFile(Path file, long start, Duration timeout)
            throws IOException, InterruptedException, TimeoutException {
        FileChannel channel = FileChannel.open(file, WRITE);
        try {
            while (channel.tryLock() == null) { // lock() would wait beyond the timeout
                if (System.nanoTime() - start > timeout.toNanos()) {
                    throw new TimeoutException(file + " is still locked after " + timeout);
                }
                Thread.sleep(1);
            }
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** Closes the file first: the next thread must not find it still locked. */
    @Override
    public void close() throws IOException {
        try {
            processes.close();
        } finally {
            threads.unlock();
        }
    }
}
