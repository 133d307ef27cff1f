package dev.holdfast.lock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Locks of an application whose virtual threads get no processor, as one of them never blocks; where there are virtual threads. */
@Timeout(600)
public abstract class BusyCarrierContract {

    @TempDir
    Path directory;

    /** How the locks are opened, but for the lengths of leases and calls. */
    protected abstract Properties settings();

    @Test
    void leases_whileTheOnlyCarrierIsBusy_areRenewedAndLossesReported() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
        Properties settings = new Properties();
        settings.putAll(settings());
        settings.setProperty("lock.lease", "12s"); // a renewal every few seconds
        settings.setProperty("lock.call-timeout", "3s");
        Path file = directory.resolve("lock.properties");
        try (OutputStream to = Files.newOutputStream(file)) {
            settings.store(to, null);
        }
        List<String> command =
                new ArrayList<>(JavaCommand.of(BusyCarrierProcess.class, directory, List.of(file.toString())));
        command.add(1, "-Djdk.virtualThreadScheduler.parallelism=1");
        command.add(2, "-Djdk.virtualThreadScheduler.maxPoolSize=1");
        int status = run(command);
        for (int more = 0; more < 2 && status == BusyCarrierProcess.STOOD_STILL; more++) {
            status = run(command);
        }
        assertThat(status).as(Files.readString(output())).isZero();
    }

    private Path output() {
        return directory.resolve("output");
    }

    private int run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
        try {
            assertThat(process.waitFor(2 * Await.SECONDS, TimeUnit.SECONDS))
                    .as("it ends")
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
