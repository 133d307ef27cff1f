package org.example.lock.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file mutex excludes threads, and other copies of its class. */
class FileMutexTest {

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void createFile() throws Exception {
        file = directory.toRealPath().resolve("mutex");
        FileMutex.create(file, LONG);
    }

    @Test
    void lock_byAnotherThread_waits() throws Exception {
        FileMutex mutex = FileMutex.lock(file, LONG);
        try (mutex) {
            assertThrows(TimeoutException.class, () -> inAnotherThread(() -> FileMutex.lock(file, SHORT)));
        }
        inAnotherThread(() -> {
            FileMutex.lock(file, LONG).close();
            return file;
        });
    }

    @Test
    void create_whileTheFileIsLocked_doesNotOpenIt() throws Exception {
        FileMutex mutex = FileMutex.lock(file, LONG);
        try (mutex) {
            Files.delete(file);
            assertThrows(
                    TimeoutException.class,
                    () -> inAnotherThread(() -> {
                        FileMutex.create(file, SHORT);
                        return file;
                    }));
        }
    }

    /** Otherwise the copy would open the file, fail to lock it and close it, which releases our lock for all processes. */
    @Test
    void lock_bySecondCopyOfTheClass_waits() throws Exception {
        URL classes = FileMutex.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            Class<?> copy = loader.loadClass(FileMutex.class.getName());
            assertNotSame(FileMutex.class, copy);
            Method lock = copy.getDeclaredMethod("lock", Path.class, Duration.class);
            lock.setAccessible(true);

            FileMutex mutex = FileMutex.lock(file, LONG);
            try (mutex) {
                InvocationTargetException refused = assertThrows(
                        InvocationTargetException.class, () -> inAnotherThread(() -> lock.invoke(null, file, SHORT)));
                assertInstanceOf(TimeoutException.class, refused.getCause());
            }
            try (AutoCloseable next = (AutoCloseable) lock.invoke(null, file, LONG)) {
                assertEquals(copy, next.getClass());
            }
        }
    }

    private static <T> T inAnotherThread(Callable<T> what) throws Exception {
        FutureTask<T> task = new FutureTask<>(what);
        new Thread(task).start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
