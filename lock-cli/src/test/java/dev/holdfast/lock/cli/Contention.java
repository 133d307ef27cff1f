package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Waiting, not waiting, and one run out of many. */
abstract class Contention extends Runs {

    /** Nobody crashes here: what a busy machine delays must not become an outage, nor a lost lease. */
    static final String PATIENT = "lock.lease=10m\nlock.call-timeout=1m\n";

    /** How many runs each thread makes. */
    private static final int TIMES = 3 * Integer.getInteger("lock.test.scale", 1);

    @Test
    void aBusyLockIs75OnceTheWaitIsOverOr0WithSkip() throws Exception {
        try (Locks locks = Locks.open(config);
                Lease held = locks.named("a").acquire()) {
            RunHere atOnce = run("--wait", "0s", "a", "--", "echo", "never");
            RunHere waiting = run("--wait", "1s", "a", "--", "echo", "never");
            RunHere skipping = run("--wait", "0s", "--if-busy", "skip", "a", "--", "echo", "never");
            RunHere skippingWithoutWait = run("--if-busy", "skip", "a", "--", "echo", "never");
            RunHere other = run("--wait", "0s", "A", "--", "echo", "another name");

            assertThat(atOnce.status()).isEqualTo(75);
            assertThat(atOnce.said()).startsWith("lock: ").contains("'a'").hasLineCount(1);
            assertThat(waiting.status()).isEqualTo(75);
            assertThat(skipping.status()).isZero();
            assertThat(skippingWithoutWait.status()).isZero();
            for (RunHere refused : List.of(atOnce, waiting, skipping, skippingWithoutWait)) {
                assertThat(refused.out()).isEmpty();
            }
            assertThat(other.out()).isEqualTo("another name\n");
            held.ensureHeld();
        }
        assertThat(run("--wait", "0s", "a", "--", "true").status()).isZero();
    }

    @Test
    void ofFourWithAMinimumHoldOneRunsAndAllSucceed() throws Exception {
        List<RunHere> runs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            runs.add(run("--wait", "0s", "--if-busy", "skip", "--at-least", "1h", "a", "--", "echo", "ran"));
        }

        StringBuilder out = new StringBuilder();
        for (RunHere run : runs) {
            assertThat(run.status()).as(run.said()).isZero();
            out.append(run.out());
        }
        assertThat(out).hasToString("ran\n");
    }

    /** Two processes, and runs within this one, wait for each other; each leaves marks for as long as it runs. */
    @Test
    void runsExcludeEachOtherAndTheirTokensRise() throws Exception {
        Marks marks = new Marks(Files.createDirectory(folder.resolve("runs")));
        List<String> command = new ArrayList<>(List.of("counted", "--"));
        command.addAll(marks.briefly());
        String[] words = command.toArray(String[]::new);
        List<Launched> processes = List.of(launched(words), launched(words));

        List<RunHere> runs = new ArrayList<>();
        for (int round = 0; round < TIMES; round++) {
            runs.add(run(words));
            runs.add(run(words));
            runs.get(2 * round).status();
        }

        for (RunHere run : runs) {
            assertThat(run.status()).as(run.said()).isZero();
        }
        for (Launched process : processes) {
            assertThat(process.status()).as(process.err()).isZero();
        }
        marks.verify(2 + 2 * TIMES);
    }
}
