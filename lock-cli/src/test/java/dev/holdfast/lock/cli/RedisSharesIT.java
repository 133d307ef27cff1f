package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Share;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** On Redis, and there as cron starts it: in processes. */
class RedisSharesIT extends SharesContract {

    @Override
    String store() {
        return TestStores.redis();
    }

    @Test
    void runMax_whenTenProcessesStartAtOnce_neverMoreThanThreeRunAtOnce() throws Exception {
        MarkFile marks = new MarkFile(Files.createDirectory(folder.resolve("processes")));
        String[] words = Stream.concat(Stream.of("--max", "3", "a", "--"), marks.briefly(new Share(1, 3)).stream())
                .toArray(String[]::new);
        List<CliProcess> runs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            runs.add(startRun(words));
        }

        for (CliProcess run : runs) {
            assertThat(run.exitStatus()).as(run.stderr()).isZero();
        }
        marks.verify(10);
    }
}
