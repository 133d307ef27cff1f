package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs that contend for a lock, and one run out of many. */
@Tag("first-build")
abstract class ContentionContract extends CliTestBase {

    /** The number of runs of each thread. */
    private static final int TIMES = 3 * Integer.getInteger("lock.test.scale", 1);

    @Test
    void run_whenLockBusyAfterWait_exitsWith75OrWith0IfSkipped() throws Exception {
        try (Locks locks = Locks.open(config);
                Lease held = locks.named("a").acquire()) {
            InProcessRun atOnce = run("--wait", "0s", "a", "--", "echo", "never");
            InProcessRun waiting = run("--wait", "5s", "a", "--", "echo", "never"); // longer than a store stands still
            InProcessRun skipping = run("--wait", "0s", "--if-busy", "skip", "a", "--", "echo", "never");
            InProcessRun skippingWithoutWait = run("--if-busy", "skip", "a", "--", "echo", "never");
            InProcessRun other = run("--wait", "0s", "A", "--", "echo", "another name");

            assertThat(atOnce.exitStatus()).isEqualTo(75);
            assertThat(atOnce.stderr()).startsWith("lock: ").contains("'a'").hasLineCount(1);
            assertThat(waiting.exitStatus()).isEqualTo(75);
            assertThat(skipping.exitStatus()).isZero();
            assertThat(skippingWithoutWait.exitStatus()).isZero();
            for (InProcessRun refused : List.of(atOnce, waiting, skipping, skippingWithoutWait)) {
                assertThat(refused.stdout()).isEmpty();
            }
            assertThat(other.stdout()).isEqualTo("another name\n");
            held.ensureHeld();
        }
        assertFree("a");
    }

    @Test
    void run_whenFourStartWithMinimumHoldAndSkip_oneRunsAndAllSucceed() throws Exception {
        List<InProcessRun> runs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            runs.add(run("--wait", "0s", "--if-busy", "skip", "--at-least", "1h", "a", "--", "echo", "ran"));
        }

        StringBuilder out = new StringBuilder();
        for (InProcessRun run : runs) {
            assertThat(run.exitStatus()).as(run.stderr()).isZero();
            out.append(run.stdout());
        }
        assertThat(out).hasToString("ran\n");
    }

    /** Two processes, and runs within this one, contend; each command appends marks while it runs. */
    @Test
    void run_whenManyContend_commandsExcludeEachOtherAndTokensRise() throws Exception {
        MarkFile marks = new MarkFile(Files.createDirectory(folder.resolve("runs")));
        List<String> command = new ArrayList<>(List.of("counted", "--"));
        command.addAll(marks.briefly());
        String[] words = command.toArray(String[]::new);
        List<CliProcess> processes = List.of(startRun(words), startRun(words));

        List<InProcessRun> runs = new ArrayList<>();
        for (int round = 0; round < TIMES; round++) {
            runs.add(run(words));
            runs.add(run(words));
            runs.get(2 * round).exitStatus();
        }

        for (InProcessRun run : runs) {
            assertThat(run.exitStatus()).as(run.stderr()).isZero();
        }
        for (CliProcess process : processes) {
            assertThat(process.exitStatus()).as(process.stderr()).isZero();
        }
        marks.verify(2 + 2 * TIMES);
    }
}
