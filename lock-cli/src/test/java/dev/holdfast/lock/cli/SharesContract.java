package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code lock run --shared} and {@code lock run --max N}. */
@Tag("first-build")
abstract class SharesContract extends CliTestBase {

    @Test
    void runMax_whenTenStart_neverMoreThanThreeRunAtOnce() throws Exception {
        MarkFile marks = new MarkFile(Files.createDirectory(folder.resolve("runs")));
        List<InProcessRun> runs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            runs.add(start(marks, new Share(1, 3), "--max", "3"));
        }

        requireSuccess(runs);
        marks.verify(10);
    }

    @Test
    void runMax_whenAsManyRun_isBusy() throws Exception {
        try (Locks locks = Locks.open(config);
                Lease two = locks.semaphore("a", 3).acquire(2)) {
            assertThat(atOnce("--max", "3")).as("beside two of three").isZero();
            assertThat(atOnce("--max", "2")).as("as the least number counts").isEqualTo(75);
            assertThat(atOnce()).as("an exclusive run").isEqualTo(75);
            try (Lease third = locks.semaphore("a", 3).acquire(1)) {
                assertThat(atOnce("--max", "3")).as("beside three of three").isEqualTo(75);
                assertThat(atOnce("--max", "3", "--if-busy", "skip")).isZero();
                third.ensureHeld();
            }
            two.ensureHeld();
        }
        assertFree("a");
    }

    @Test
    void runMax_withMinimumHold_keepsItsPermitAfterTheCommand() throws Exception {
        assertThat(atOnce("--max", "2", "--at-least", "1h", "--lease", "10m")).isZero();
        assertThat(atOnce("--max", "2", "--at-least", "1h")).isZero();

        assertThat(atOnce("--max", "2")).isEqualTo(75);
    }

    @Test
    void runShared_besideReaders_runs_andExcludesWriters() throws Exception {
        try (Locks locks = Locks.open(config)) {
            try (Lease reading = locks.named("a").shared().acquire()) {
                assertThat(atOnce("--shared")).isZero();
                assertThat(atOnce()).isEqualTo(75);
                reading.ensureHeld();
            }
            try (Lease writing = locks.named("a").acquire()) {
                assertThat(atOnce("--shared")).isEqualTo(75);
                writing.ensureHeld();
            }
        }
    }

    @Test
    void runShared_amongWriters_neverOverlapsOne() throws Exception {
        MarkFile marks = new MarkFile(Files.createDirectory(folder.resolve("runs")));
        List<InProcessRun> runs = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            runs.add(start(marks, Share.shared(), "--shared"));
            runs.add(start(marks, Share.shared(), "--shared"));
            runs.add(start(marks, Share.EXCLUSIVE));
        }

        requireSuccess(runs);
        marks.verify(9);
    }

    /** The exit status of a run that tries once. */
    private int atOnce(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(List.of("--wait", "0s", "a", "--", "true"));
        return run(words.toArray(String[]::new)).exitStatus();
    }

    private InProcessRun start(MarkFile marks, Share share, String... options) throws Exception {
        return run(Stream.of(List.of(options), List.of("a", "--"), marks.briefly(share))
                .flatMap(List::stream)
                .toArray(String[]::new));
    }

    private static void requireSuccess(List<InProcessRun> runs) throws Exception {
        for (InProcessRun run : runs) {
            assertThat(run.exitStatus()).as(run.stderr()).isZero();
        }
    }
}
