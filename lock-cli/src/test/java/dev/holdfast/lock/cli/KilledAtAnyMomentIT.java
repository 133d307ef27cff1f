package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The launcher's JVM is killed at a random moment: when its lease is over, nothing of its command is left. */
class KilledAtAnyMomentIT extends SqliteRuns {

    private static final int ROUNDS = 6 * Integer.getInteger("lock.test.scale", 1);

    /** Rounds beside each other, as each waits for the end of a lease. */
    private static final int BESIDE = 6;

    @Test
    void nobodyOutlivesTheNextGrant() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ExecutorService threads = Executors.newFixedThreadPool(BESIDE);
        try {
            List<Future<?>> rounds = new ArrayList<>();
            for (int number = 0; number < ROUNDS; number++) {
                Round round = new Round(number, random.nextDouble());
                rounds.add(threads.submit(() -> {
                    round.make();
                    return null;
                }));
            }
            for (Future<?> round : rounds) {
                Await.result(round);
            }
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed, e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** One lock, one launcher that is killed, and one that has the lock next. */
    private final class Round {

        private final int number;
        private final String name;
        private final double part;
        private final Marks marks;

        Round(int number, double part) throws Exception {
            this.number = number;
            this.name = "lock-" + number;
            this.part = part;
            this.marks = new Marks(Files.createDirectory(folder.resolve(name)));
        }

        void make() throws Exception {
            try {
                kill();
                RunHere next = run(words(marks.briefly()));

                assertThat(next.status()).as(next.said()).isZero();
                marks.verify(1);
                marks.awaitNoWatcher();
            } finally {
                marks.kill();
            }
        }

        /** A launcher that a standstill has ended by then is not killed, which is a moment like any other. */
        private void kill() throws Exception {
            Launched run = start(marks.sign(lock("run", words(marks.family()))));
            switch (number % 3) {
                // Anywhere on the way to the command, or after.
                case 0 -> pause(run, 1_500);
                // About when the command starts: its watcher is the launcher's first child.
                case 1 -> {
                    Await.until(
                            "a child",
                            () -> ended(run)
                                    || run.process().descendants().findAny().isPresent());
                    pause(run, 40);
                }
                // While the command runs.
                default -> {
                    Await.until("a mark", () -> ended(run) || marks.by("root"));
                    pause(run, 400);
                }
            }
            run.process().destroyForcibly();
        }

        /** A lease of which two thirds are left for the end of the family. */
        private String[] words(List<String> command) {
            List<String> words = new ArrayList<>(List.of("--lease", "9s", name, "--"));
            words.addAll(command);
            return words.toArray(String[]::new);
        }

        private static boolean ended(Launched run) {
            return !run.process().isAlive();
        }

        private void pause(Launched run, int most) throws InterruptedException {
            run.process().waitFor((long) (part * most), TimeUnit.MILLISECONDS);
        }
    }
}
