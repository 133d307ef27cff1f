package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code lock}: builds when it has to, once, and is otherwise not there. */
@Execution(ExecutionMode.CONCURRENT) // most of their time they wait
class LauncherIT extends SqliteRuns {

    private Checkout checkout;

    @BeforeEach
    void checkOut() throws IOException {
        checkout = new Checkout(folder);
    }

    private Launched launched() throws IOException {
        return start(checkout.launch(checkout.script(), "list"));
    }

    private void assertRuns(Launched launched, String... arguments) throws Exception {
        assertThat(launched.status()).as(launched.err()).isZero();
        assertThat(launched.out())
                .endsWith(" -jar " + checkout.file("lock-cli").toRealPath() + "/target/launcher/lock.jar "
                        + String.join(" ", arguments) + "\n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fourAtOnceOnFirstUseBuildOnce(boolean flock) throws Exception {
        if (flock) {
            checkout.link("flock");
        }
        checkout.slowMvn();
        List<Launched> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(launched());
        }

        for (Launched one : all) {
            assertRuns(one, "list");
        }
        assertThat(checkout.builds()).hasSize(1);
    }

    @Test
    void aBuilderThatDiedHoldsUpNobody() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        assertThat(dead.waitFor()).isZero();
        Path turn = Files.createDirectories(checkout.file("lock-cli/target/launcher/building.d"));
        Files.writeString(turn.resolve("pid"), dead.pid() + "\n");

        assertThat(launched().status()).isZero();
    }

    @Test
    void itBuildsAgainOnlyAfterAChange() throws Exception {
        assertThat(launched().status()).isZero();
        Launched second = launched();
        assertThat(second.status()).isZero();
        assertThat(second.err()).isEmpty();
        assertThat(checkout.builds()).hasSize(1);

        touch("lock-jdbc/src/main/java/Source.java");
        assertThat(launched().status()).isZero();
        assertThat(checkout.builds()).hasSize(2);

        touch("lock-redis/src/main/java/Source.java");
        assertThat(launched().status()).isZero();
        assertThat(checkout.builds()).hasSize(3);

        touch("lock-composite/src/main/java/Source.java");
        assertThat(launched().status()).isZero();
        assertThat(checkout.builds()).hasSize(4);

        assertThat(launched().status()).isZero();
        assertThat(checkout.builds()).hasSize(4);
    }

    @Test
    void theDemoIsBuiltOnlyIfItIsAskedForAndThenOnce() throws Exception {
        checkout.mvn("mkdir -p lock-bench/target && echo one.jar:two.jar >lock-bench/target/class-path");

        for (int i = 0; i < 2; i++) {
            Launched demo = start(checkout.launch(checkout.script(), "demo", "5s"));
            assertThat(demo.status()).as(demo.err()).isZero();
            assertThat(demo.out())
                    .contains(" -cp " + checkout.file("lock-bench").toRealPath() + "/target/classes:one.jar:two.jar "
                            + "dev.holdfast.lock.bench.demo.Demo 5s\n");
        }

        assertThat(checkout.builds()).singleElement().asString().contains("-pl lock-bench -am");
    }

    @Test
    void whatMavenBuiltIsTakenWithoutAnotherBuild() throws Exception {
        Files.createDirectories(checkout.file("lock-cli/target"));
        Files.createFile(checkout.file("lock-cli/target/lock.jar"));

        assertThat(launched().status()).isZero();
        assertThat(checkout.builds()).isEmpty();
    }

    private void touch(String file) throws IOException {
        Files.setLastModifiedTime(checkout.file(file), FileTime.fromMillis(System.currentTimeMillis()));
    }

    @Test
    void itIsFoundThroughLinksFromAnywhere() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("else where"));
        Files.createSymbolicLink(folder.resolve("direct"), checkout.script());
        Path link = Files.createSymbolicLink(elsewhere.resolve("lock"), Path.of("../direct"));

        assertRuns(start(checkout.launch(link, "list").directory(elsewhere.toFile())), "list");
    }

    @Test
    void whereElseTheShellWouldGoDoesNotMatter() throws Exception {
        ProcessBuilder builder = checkout.launch(folder.relativize(checkout.script()), "list");
        builder.environment().put("CDPATH", folder.toString());

        assertRuns(start(builder.directory(folder.toFile())), "list");
    }

    /** All that a caller may notice, on first use and in the locale of a cron job, which Java would spoil. */
    @Test
    void inputArgumentsLocaleAndStatusPassThrough() throws Exception {
        checkout.real();
        Path input = Files.writeString(folder.resolve("input"), "mine\n");
        ProcessBuilder builder = checkout.launch(
                checkout.script(),
                running(
                        "sh",
                        "-c",
                        "cat; echo \"$LC_ALL\"; printf '<%s>' \"$@\"; exit 42",
                        "sh",
                        "two words",
                        "",
                        "*",
                        "$HOME",
                        "a\nb",
                        "Übung €"));
        builder.environment().put("LC_ALL", "C");

        Launched run = start(builder.redirectInput(input.toFile()));

        assertThat(run.status()).as(run.err()).isEqualTo(42);
        assertThat(run.out()).isEqualTo("mine\nC\n<two words><><*><$HOME><a\nb><Übung €>");
    }

    @Test
    void itBecomesJavaSoThatSignalsArrive() throws Exception {
        checkout.real();
        Path up = folder.resolve("up");
        Launched run = start(checkout.launch(
                checkout.script(), running("sh", "-c", "echo >\"$0\"; exec sleep 1000", up.toString())));
        run.awaitLine(up);

        assertThat(run.process().info().command())
                .hasValueSatisfying(it -> assertThat(it).endsWith("/java"));
        run.send("TERM");
        assertThat(run.status()).isEqualTo(143);
    }

    private String[] running(String... command) {
        return Stream.concat(Stream.of("run", "--config", config.toString(), "a", "--"), Stream.of(command))
                .toArray(String[]::new);
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        checkout.mvn("echo no compiler here >&2; exit 1");
        assertSaid(launched(), "the build failed");

        checkout.without("mvn");
        assertSaid(launched(), "no mvn found");

        checkout.without("java");
        assertSaid(launched(), "no java found");
    }

    @Test
    void aTurnThatCannotBeTakenIsSaid() throws Exception {
        Path turn = Files.createDirectories(checkout.file("lock-cli/target/launcher/building"));
        checkout.link("flock");
        assertSaid(launched(), "cannot write " + checkout.file("").toRealPath());

        Files.delete(turn);
        checkout.tool("flock", "exit 1");
        assertSaid(launched(), "flock failed");
        assertThat(checkout.builds()).isEmpty();
    }

    @Test
    void anOldJavaIsRefused() throws Exception {
        Path old = Files.createDirectories(folder.resolve("jdk-11/bin")).getParent();
        Files.writeString(
                old.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n", StandardCharsets.US_ASCII);
        Executable.write(old.resolve("bin/java"), "#!/bin/sh\necho ran\n");
        ProcessBuilder builder = checkout.launch(checkout.script(), "list");
        builder.environment().put("JAVA_HOME", old.toString());

        assertSaid(start(builder), "Java 11.0.2: Java 17 or newer is needed");
    }

    private static void assertSaid(Launched run, String part) throws InterruptedException {
        assertThat(run.status()).isEqualTo(69);
        assertThat(run.err()).contains("lock: ").contains(part);
        assertThat(run.out()).isEmpty();
    }
}
