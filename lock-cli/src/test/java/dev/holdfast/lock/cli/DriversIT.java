package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The script {@code lock} on a database whose driver is not in the runnable jar: H2, as MariaDB and MySQL would be. */
@Tag("second-build")
class DriversIT extends CliTestBase {

    private FakeCheckout checkout;

    @Override
    String store() {
        return "lock.provider=jdbc\nlock.jdbc.url=jdbc:h2:" + folder.resolve("locks")
                + ";WRITE_DELAY=0\nlock.jdbc.username=sa\n" + TestStores.PATIENT;
    }

    @BeforeEach
    void createCheckout() throws IOException {
        checkout = new FakeCheckout(folder);
        checkout.useRealJava();
    }

    @AfterEach
    void removeLinks() throws IOException {
        checkout.removeLinks();
    }

    @Test
    void lock_withTheDriverInItsClassPath_runsAndShowsAndExamines() throws Exception {
        CliProcess run = lock(List.of("run", "nightly", "--", "printenv", "HOLDFAST_TOKEN"));
        assertThat(run.exitStatus()).as(run.stderr()).isZero();
        assertThat(run.stdout()).matches("\\d+\n");
        CliProcess doctor = lock(List.of("doctor"));
        assertThat(doctor.exitStatus()).as(doctor.stderr()).isZero();
        assertThat(doctor.stdout())
                .contains("H2 2.", "a lock was acquired, renewed, waited for, handed over and released");
        CliProcess status = lock(List.of("status"));
        assertThat(status.stdout() + status.stderr()).contains("not a composite");
    }

    private CliProcess lock(List<String> words) throws IOException {
        ProcessBuilder launched = launched(words);
        launched.environment().put("HOLDFAST_CLASSPATH", h2().toString());
        return start(launched);
    }

    private ProcessBuilder launched(List<String> words) throws IOException {
        checkout.link("printenv");
        return checkout.launch(
                checkout.script(),
                Stream.concat(
                                Stream.of(words.get(0), "--config", config.toString()),
                                words.stream().skip(1))
                        .toArray(String[]::new));
    }

    private static Path h2() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(entry -> entry.getFileName().toString().startsWith("h2-"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void lock_withoutTheDriver_namesItsArtifact() throws Exception {
        CliProcess run = start(launched(List.of("run", "nightly", "--", "true")));
        assertThat(run.exitStatus()).isNotZero();
        assertThat(run.stderr()).contains("com.h2database:h2");
    }
}
