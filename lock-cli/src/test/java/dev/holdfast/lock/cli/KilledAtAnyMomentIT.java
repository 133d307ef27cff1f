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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The JVM of a run is killed at a random moment: when its lease is over, no process of its command is left. */
@Tag("second-build")
class KilledAtAnyMomentIT extends SqliteCliTestBase {

    private static final int ROUNDS = 6 * Integer.getInteger("lock.test.scale", 1);

    /** Rounds run in parallel, as each waits for the end of a lease. */
    private static final int PARALLEL_ROUNDS = 6;

    @Override
    String store() {
        return TestStores.forBriefLeases(super.store());
    }

    @Test
    void run_whenKilledAtRandomMoment_noDescendantOutlivesNextGrant() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ExecutorService threads = Executors.newFixedThreadPool(PARALLEL_ROUNDS);
        try {
            List<Future<?>> rounds = new ArrayList<>();
            for (int number = 0; number < ROUNDS; number++) {
                Round round = new Round(number, random.nextDouble());
                rounds.add(threads.submit(() -> {
                    round.execute();
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
            Await.until("the other rounds have ended", threads::isTerminated);
        }
    }

    /** One lock, one run that is killed, and one that is granted the lock next. */
    private final class Round {

        private final int number;
        private final String name;
        private final double fraction;
        private final MarkFile marks;

        Round(int number, double fraction) throws Exception {
            this.number = number;
            this.name = "lock-" + number;
            this.fraction = fraction;
            this.marks = new MarkFile(Files.createDirectory(folder.resolve(name)));
        }

        void execute() throws Exception {
            try {
                kill();
                InProcessRun next = run(words(marks.briefly()));

                assertThat(next.exitStatus()).as(next.stderr()).isZero();
                marks.verify(1);
                marks.awaitAllEnded();
            } finally {
                marks.killAll();
            }
        }

        /** A run that a stall of this machine has ended by then is not killed, which is a moment like any other. */
        private void kill() throws Exception {
            CliProcess run = start(marks.sign(process("run", words(marks.family()))));
            switch (number % 3) {
                // Anywhere before or after the start of the command.
                case 0 -> pause(run, 1_500);
                // At about the start of the command: the watcher is the first child.
                case 1 -> {
                    Await.until(
                            "a child",
                            () -> ended(run)
                                    || run.process().descendants().findAny().isPresent());
                    pause(run, 40);
                }
                // While the command runs.
                default -> {
                    Await.until("a mark", () -> ended(run) || marks.hasMark("root"));
                    pause(run, 400);
                }
            }
            run.process().destroyForcibly();
        }

        /** A lease of which two thirds are left for ending the command and its descendants, also on a machine that stands still meanwhile. */
        private String[] words(List<String> command) {
            List<String> words = new ArrayList<>(List.of("--lease", "30s", name, "--"));
            words.addAll(command);
            return words.toArray(String[]::new);
        }

        private static boolean ended(CliProcess run) {
            return !run.process().isAlive();
        }

        private void pause(CliProcess run, int maxMillis) throws InterruptedException {
            run.process().waitFor((long) (fraction * maxMillis), TimeUnit.MILLISECONDS);
        }
    }
}
