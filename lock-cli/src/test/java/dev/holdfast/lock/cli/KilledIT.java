package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The launcher's JVM is killed: the command and whatever it started end before somebody else can hold the lock. */
class KilledIT extends SqliteRuns {

    private static final int ROUNDS = 20;
    /** From the start of a JVM until the command has been up for a while. */
    private static final int MOST_MILLIS = 1_500;

    private Marks marks;

    @BeforeEach
    void family() throws Exception {
        marks = new Marks(folder);
    }

    @Test
    void theFamilyEndsBeforeTheLeaseAndTheCommandIsAskedFirst() throws Exception {
        Launched run = start(marks.by(run("--lease", "4s", "a")));
        marks.awaitWholeFamily();

        run.send("KILL");
        Launched next =
                started("--lease", "4s", "a", "--", "sh", "-c", "echo \"$HOLDFAST_TOKEN next\" >>" + marks.file());

        assertThat(next.status()).as(next.err()).isZero();
        assertThat(marks.by("bye")).as("TERM came before KILL").isTrue();
        marks.assertInOrder();
        Await.until(
                "nobody is left, nor the watcher: " + marks.alive(),
                () -> marks.alive().isEmpty());
    }

    @Test
    void killedAtAnyMomentNobodyOutlivesTheNextGrant() throws Exception {
        long seed = System.nanoTime();
        System.out.println("KilledIT seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Launched run = start(marks.by(run("--lease", "1s", "a")));
            // The moment is the test: any is right, and it is not waited for anything.
            run.process().waitFor(random.nextInt(MOST_MILLIS), TimeUnit.MILLISECONDS);
            run.process().destroyForcibly();
        }
        Launched last =
                started("--lease", "1s", "a", "--", "sh", "-c", "echo \"$HOLDFAST_TOKEN last\" >>" + marks.file());

        assertThat(last.status()).as(last.err()).isZero();
        Await.until(
                "nobody is left, nor a watcher: " + marks.alive(),
                () -> marks.alive().isEmpty());
        marks.assertInOrder();
        assertThat(marks.all().stream().map(mark -> mark[0]).distinct().count())
                .as("commands that were killed while they ran (seed %d)", seed)
                .isGreaterThan(2);
    }
}
