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

/** One at a time, whoever asks and with whichever copy of the class. */
class TurnTest {

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void makeTheFile() throws Exception {
        file = directory.toRealPath().resolve("turn");
        Turn.make(file, LONG);
    }

    @Test
    void anotherThreadWaits() throws Exception {
        Turn turn = Turn.take(file, LONG);
        try (turn) {
            assertThrows(TimeoutException.class, () -> inAnotherThread(() -> Turn.take(file, SHORT)));
        }
        inAnotherThread(() -> {
            Turn.take(file, LONG).close();
            return file;
        });
    }

    @Test
    void theFileIsNotOpenedWhileAThreadHasItsTurn() throws Exception {
        Turn turn = Turn.take(file, LONG);
        try (turn) {
            Files.delete(file);
            assertThrows(
                    TimeoutException.class,
                    () -> inAnotherThread(() -> {
                        Turn.make(file, SHORT);
                        return file;
                    }));
        }
    }

    /** It would open the file, not get the lock, and close the file: and with it the lock that we have, for all processes. */
    @Test
    void aSecondCopyOfTheClassWaitsAsWell() throws Exception {
        URL classes = Turn.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            Class<?> copy = loader.loadClass(Turn.class.getName());
            assertNotSame(Turn.class, copy);
            Method take = copy.getDeclaredMethod("take", Path.class, Duration.class);
            take.setAccessible(true);

            Turn turn = Turn.take(file, LONG);
            try (turn) {
                InvocationTargetException refused = assertThrows(
                        InvocationTargetException.class, () -> inAnotherThread(() -> take.invoke(null, file, SHORT)));
                assertInstanceOf(TimeoutException.class, refused.getCause());
            }
            try (AutoCloseable next = (AutoCloseable) take.invoke(null, file, LONG)) {
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
