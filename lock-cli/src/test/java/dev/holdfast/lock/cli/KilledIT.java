package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The launcher's JVM is killed: the command and whatever it started end before the lease does. */
@Execution(ExecutionMode.CONCURRENT) // most of their time they wait
class KilledIT extends SqliteRuns {

    private Marks marks;

    @BeforeEach
    void family() throws Exception {
        marks = new Marks(folder);
    }

    @AfterEach
    void endFamily() throws Exception {
        marks.kill();
    }

    @Test
    void theFamilyEndsWithinTheLeaseAndTheCommandIsAskedFirst() throws Exception {
        Launched run = start(killable(marks.family()));
        run.await("marks of the whole family", marks::byWholeFamily);

        assertAllEndWithinTheLeaseOf(run);
        assertThat(marks.by("bye")).as("TERM came before KILL").isTrue();
        assertThat(folder).as("what is temporary").isDirectoryNotContaining("glob:**sqlite-*");
    }

    @Test
    void theFamilyEndsHoweverPoorThePathOfTheCaller() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "PATH=/usr/bin:/bin; exec \"$@\"", "sh"));
        command.addAll(marks.family());
        ProcessBuilder launcher = killable(command);
        launcher.environment()
                .put("PATH", Files.createDirectory(folder.resolve("nothing")).toString());
        Launched run = start(launcher);
        run.await("marks of the whole family", marks::byWholeFamily);

        assertAllEndWithinTheLeaseOf(run);
    }

    @Test
    void whatClearedItsEnvironmentIsNotForgottenWhenItsParentEnds() throws Exception {
        Launched run = start(killable(marks.cleared()));
        run.await("a mark", () -> marks.by("cleared"));

        assertAllEndWithinTheLeaseOf(run);
    }

    /** The lease is so long that most of it is left; the watcher takes five seconds of it to ask. */
    private ProcessBuilder killable(List<String> command) {
        ProcessBuilder run = lock("run", "--lease", "40s", "a", "--");
        run.command().addAll(command);
        return marks.sign(run);
    }

    /** Then the next one may have the lock; had somebody lived on, later marks would show it. */
    private void assertAllEndWithinTheLeaseOf(Launched run) throws Exception {
        Instant killed = Instant.now();
        run.send("KILL");
        marks.awaitNobody();
        assertThat(heldUntil()).as("killed at %s, held until", killed).isAfter(Instant.now());

        assertThat(asked("release", "--force", "--yes", "a").status()).isZero();
        List<String> next = new ArrayList<>(List.of("a", "--"));
        next.addAll(marks.briefly());
        assertThat(run(next.toArray(String[]::new)).status()).isZero();

        marks.verify(2);
    }

    private Instant heldUntil() {
        try (LockAdmin admin = LockAdmin.of(config);
                Stream<LockInfo> locks = admin.locks("a")) {
            return locks.findFirst()
                    .flatMap(LockInfo::holder)
                    .map(LockInfo.Holder::until)
                    .orElse(Instant.MIN);
        }
    }
}
