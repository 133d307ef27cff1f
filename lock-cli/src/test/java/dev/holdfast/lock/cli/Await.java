package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Waits for something to become true; fails only on a hang. */
final class Await {

    private Await() {}

    static void until(String what, Callable<Boolean> condition) throws Exception {
        long hang = System.nanoTime() + Launched.HANG_SECONDS * 1_000_000_000L;
        while (!condition.call()) {
            assertThat(System.nanoTime() - hang).as(what).isNegative();
            Thread.sleep(5);
        }
    }

    /** Waits until a file holds at least this many lines. */
    static void lines(Path file, int count) throws Exception {
        until(count + " lines in " + file, () -> Files.exists(file) && count(file) >= count);
    }

    private static int count(Path file) throws IOException {
        return Files.readAllLines(file).size();
    }
}
