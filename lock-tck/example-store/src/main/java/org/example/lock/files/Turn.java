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
     * A file lock excludes processes, but not the threads of one: they have a lock for each file, whichever store asks. They
     * have it in this whole Java process, as its properties, and of types that are the same to everybody: a second class
     * loader may have another copy of this class, and a channel that it closes would end the file lock of the first.
     */
    @SuppressWarnings("unchecked")
    private static final Map<String, ReentrantLock> THREADS = (Map<String, ReentrantLock>) System.getProperties()
            .computeIfAbsent(Turn.class.getName(), anyKey -> new ConcurrentHashMap<String, ReentrantLock>());

    private final ReentrantLock threads;
    private final FileChannel processes;

    private Turn(ReentrantLock threads, FileChannel processes) {
        this.threads = threads;
        this.processes = processes;
    }

    /**
     * Makes the file, if it is not there, while no thread has its turn: a file is opened and closed to be made, and that would
     * end the lock that another thread of this process may have by then.
     *
     * @param file by its real path, as there is one lock for each path
     */
    static void make(Path file, Duration timeout) throws IOException, InterruptedException, TimeoutException {
        ReentrantLock threads = await(file, timeout);
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // As it should be, but for the first time.
        } finally {
            threads.unlock();
        }
    }

    /**
     * Waits until nobody else has the turn.
     *
     * @param file by its real path, as there is one lock for each path
     * @throws TimeoutException if others take too long: the caller says Unavailable, not Busy, as nobody has looked
     */
    static Turn take(Path file, Duration timeout) throws IOException, InterruptedException, TimeoutException {
        long start = System.nanoTime();
        ReentrantLock threads = await(file, timeout);
        try {
            return new Turn(threads, lock(file, start, timeout));
        } catch (Throwable e) {
            threads.unlock();
            throw e;
        }
    }

    private static ReentrantLock await(Path file, Duration timeout) throws InterruptedException, TimeoutException {
        ReentrantLock threads = THREADS.computeIfAbsent(file.toString(), anyFile -> new ReentrantLock());
        if (!threads.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("no turn within " + timeout);
        }
        return threads;
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
