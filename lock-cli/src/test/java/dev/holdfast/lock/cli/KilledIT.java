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
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The JVM of a run is killed: the command and its descendants end before the lease does. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
@Tag("second-build")
@Order(1)
class KilledIT extends SqliteCliTestBase {

    private MarkFile marks;

    @BeforeEach
    void createMarkFile() throws Exception {
        marks = new MarkFile(folder);
    }

    @AfterEach
    void killDescendants() throws Exception {
        marks.killAll();
    }

    @Test
    void run_whenKilled_descendantsEndWithinLeaseAndGetTermFirst() throws Exception {
        CliProcess run = start(killable(marks.family()));
        run.await("marks of all descendants", marks::hasMarksOfAll);

        assertAllEndWithinTheLeaseOf(run);
        assertThat(marks.hasMark("bye")).as("TERM came before KILL").isTrue();
        assertThat(folder).as("temporary files").isDirectoryNotContaining("glob:**sqlite-*");
    }

    @Test
    void run_whenKilledAndCallersPathIsUseless_descendantsEndWithinLease() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "PATH=/usr/bin:/bin; exec \"$@\"", "sh"));
        command.addAll(marks.family());
        ProcessBuilder builder = killable(command);
        builder.environment()
                .put("PATH", Files.createDirectory(folder.resolve("nothing")).toString());
        CliProcess run = start(builder);
        run.await("marks of all descendants", marks::hasMarksOfAll);

        assertAllEndWithinTheLeaseOf(run);
    }

    @Test
    void run_whenKilledAndChildClearedItsEnvironment_childEndsWithinLease() throws Exception {
        CliProcess run = start(killable(marks.cleared()));
        run.await("a mark", () -> marks.hasMark("cleared"));

        assertAllEndWithinTheLeaseOf(run);
    }

    /** With the long lease of the store: minutes of it are left when the watcher has waited five seconds between TERM and KILL. */
    private ProcessBuilder killable(List<String> command) {
        ProcessBuilder run = process("run", "a", "--");
        run.command().addAll(command);
        return marks.sign(run);
    }

    /** After the lock is released and taken by the next run; marks of a surviving process would overlap that run's. */
    private void assertAllEndWithinTheLeaseOf(CliProcess run) throws Exception {
        Instant killed = Instant.now();
        run.send("KILL");
        marks.awaitAllEnded();
        assertThat(heldUntil()).as("killed at %s, held until", killed).isAfter(Instant.now());

        assertThat(invoke("release", "--force", "--yes", "a").exitStatus()).isZero();
        List<String> next = new ArrayList<>(List.of("a", "--"));
        next.addAll(marks.briefly());
        assertThat(run(next.toArray(String[]::new)).exitStatus()).isZero();

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
