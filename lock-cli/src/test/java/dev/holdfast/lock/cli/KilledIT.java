package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The launcher's JVM is killed: the command and whatever it started end before somebody else can hold the lock. */
class KilledIT extends SqliteRuns {

    private static final int ROUNDS = 9 * Integer.getInteger("lock.test.scale", 1);

    /** Two thirds of what is left of the lease, at least, are there for KILL, and a part of the last third for TERM. */
    private static final Duration BEARABLE = Duration.ofMillis(500);

    private static final Duration BEARABLE_AT_ANY_MOMENT = Duration.ofMillis(300);

    private Marks marks;

    @BeforeEach
    void family() throws Exception {
        marks = new Marks(folder);
    }

    /** A failed test has not proved that nobody is left. */
    @AfterEach
    void endWhoIsLeft() throws Exception {
        marks.kill();
    }

    @Override
    void anew() throws Exception {
        endWhoIsLeft();
        super.anew();
        family();
    }

    @Test
    void theFamilyEndsBeforeTheLeaseAndTheCommandIsAskedFirst() throws Exception {
        attempts(BEARABLE, () -> {
            killed(marks.by(run("--lease", "3s", "a")));

            assertThat(marks.by("bye")).as("TERM came before KILL").isTrue();
        });
    }

    @Test
    void howeverPoorTheCallersPath() throws Exception {
        attempts(BEARABLE, this::poorPath);
    }

    private void poorPath() throws Exception {
        ProcessBuilder run = marks.by(run("--lease", "3s", "a"));
        List<String> words = run.command();
        List<String> family = List.copyOf(words.subList(words.indexOf("sh"), words.size()));
        words.subList(words.indexOf("sh"), words.size()).clear();
        words.addAll(List.of("/bin/sh", "-c", "PATH=/usr/bin:/bin; exec " + String.join(" ", family)));
        run.environment()
                .put("PATH", Files.createDirectory(folder.resolve("nothing")).toString());

        killed(run);
    }

    /** Kills the launcher of this family as soon as all live; the next grant finds nobody. */
    private void killed(ProcessBuilder family) throws Exception {
        Launched run = start(family);
        marks.awaitWholeFamily(run);
        run.send("KILL");
        assertNobodyOutlivesTheLease();
        assertThat(folder).as("what is temporary").isDirectoryNotContaining("glob:**sqlite-*");
    }

    @Test
    void whoClearedItsEnvironmentIsNotForgottenWhenItsParentEnds() throws Exception {
        attempts(BEARABLE, () -> {
            Launched run = start(marks.byCleared(run("--lease", "3s", "a")));
            run.await("a mark", () -> marks.by("cleared"));

            run.send("KILL");

            assertNobodyOutlivesTheLease();
        });
    }

    private void assertNobodyOutlivesTheLease() throws Exception {
        // Its marks would follow if somebody lived on.
        Launched next = started(
                "a",
                "--",
                "sh",
                "-c",
                "for i in 1 2 3 4 5; do echo \"$HOLDFAST_TOKEN next\" >>" + marks.file() + "; sleep 0.1; done");

        assertThat(next.status()).as(next.err()).isZero();
        marks.assertInOrder();
        Await.until(
                "nobody is left, nor the watcher: " + marks.alive(),
                () -> marks.alive().isEmpty());
    }

    @Test
    void killedAtAnyMomentNobodyOutlivesTheNextGrant() throws Exception {
        attempts(BEARABLE_AT_ANY_MOMENT, this::killedAtAnyMoment);
    }

    private void killedAtAnyMoment() throws Exception {
        long seed = System.nanoTime();
        System.out.println("KilledIT seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Launched run = start(marks.by(run("--lease", "1s", "a")));
            switch (round % 3) {
                // Anywhere on the way to the command, or after.
                case 0 -> pause(run, random.nextInt(1_500));
                // About when the command starts: its watcher is the launcher's first child.
                case 1 -> {
                    Await.until(
                            "a child",
                            () -> ended(run)
                                    || run.process().descendants().findAny().isPresent());
                    pause(run, random.nextInt(40));
                }
                // While the command runs.
                default -> {
                    int before = marks.tokens();
                    Await.until("a mark under a new token", () -> ended(run) || marks.tokens() > before);
                    pause(run, random.nextInt(400));
                }
            }
            run.process().destroyForcibly();
        }
        Launched last = started("a", "--", "sh", "-c", "echo \"$HOLDFAST_TOKEN last\" >>" + marks.file());

        assertThat(last.status()).as(last.err()).isZero();
        Await.until(
                "nobody is left, nor a watcher: " + marks.alive(),
                () -> marks.alive().isEmpty());
        marks.assertInOrder();
    }

    /** On a slow machine a lease this short may be lost before the moment has come. */
    private static boolean ended(Launched run) {
        return !run.process().isAlive();
    }

    /** The moment is what is tested: any is right. */
    private static void pause(Launched run, int millis) throws InterruptedException {
        run.process().waitFor(millis, TimeUnit.MILLISECONDS);
    }
}
