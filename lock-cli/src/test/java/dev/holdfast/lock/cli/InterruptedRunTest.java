package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A run that cannot finish terminating its command. */
class InterruptedRunTest extends SqliteCliTestBase {

    @Test
    void run_whenTerminationIsInterrupted_leavesLeaseToExpire() throws Exception {
        Path up = folder.resolve("up");
        InProcessRun run = run("a", "--", "sh", "-c", "echo $$ >\"$0\"; exec sleep 1000", up.toString());
        run.awaitLine(up);

        run.interruptUntilEnd();

        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(70);
        try (LockAdmin admin = LockAdmin.of(config);
                Stream<LockInfo> locks = admin.locks("a")) {
            assertThat(locks).singleElement().extracting(LockInfo::holder).matches(holder -> holder.isPresent());
        }
    }
}
