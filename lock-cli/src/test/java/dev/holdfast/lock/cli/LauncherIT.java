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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code lock}: builds when it has to, once, and is otherwise not there. */
class LauncherIT extends SqliteRuns {

    private Checkout checkout;

    @BeforeEach
    void checkOut() throws IOException {
        checkout = new Checkout(folder);
    }

    private Launched launched(String... command) throws IOException {
        return start(checkout.launch(checkout.script(), arguments(command)));
    }

    private String[] arguments(String... command) {
        return Stream.concat(Stream.of("run", "--config", config.toString(), "a", "--"), Stream.of(command))
                .toArray(String[]::new);
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
            all.add(launched("echo", "held"));
        }

        for (Launched one : all) {
            assertThat(one.status()).as(one.err()).isZero();
            assertThat(one.out()).isEqualTo("held\n");
        }
        assertThat(checkout.builds()).hasSize(1);
    }

    @Test
    void aBuilderThatDiedHoldsUpNobody() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        assertThat(dead.waitFor()).isZero();
        Path turn = Files.createDirectories(checkout.file("lock-cli/target/launcher/building.d"));
        Files.writeString(turn.resolve("pid"), dead.pid() + "\n");

        assertThat(launched("true").status()).isZero();
    }

    @Test
    void itBuildsAgainOnlyAfterAChange() throws Exception {
        assertThat(launched("true").status()).isZero();
        Launched second = launched("true");
        assertThat(second.status()).isZero();
        assertThat(second.err()).isEmpty();
        assertThat(checkout.builds()).hasSize(1);

        touch("lock-jdbc/src/main/java/Source.java");
        assertThat(launched("true").status()).isZero();
        assertThat(checkout.builds()).hasSize(2);

        touch("lock-redis/src/main/java/Source.java");
        assertThat(launched("true").status()).isZero();
        assertThat(checkout.builds()).hasSize(3);

        touch("lock-composite/src/main/java/Source.java");
        assertThat(launched("true").status()).isZero();
        assertThat(checkout.builds()).hasSize(4);

        assertThat(launched("true").status()).isZero();
        assertThat(checkout.builds()).hasSize(4);
    }

    @Test
    void theDemoIsBuiltOnlyIfItIsAskedForAndThenOnce() throws Exception {
        checkout.mvn("mkdir -p lock-bench/target && echo one.jar:two.jar >lock-bench/target/class-path");
        checkout.tool("java", "echo 'a version \"17.0.1\"'; echo \"$@\"");

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
        Files.copy(Path.of(System.getProperty("lock.jar")), checkout.file("lock-cli/target/lock.jar"));

        assertThat(launched("true").status()).isZero();
        assertThat(checkout.builds()).isEmpty();
    }

    private void touch(String file) throws IOException {
        Files.setLastModifiedTime(checkout.file(file), FileTime.fromMillis(System.currentTimeMillis()));
    }

    @Test
    void standardInputIsTheCommandsAlsoOnFirstUse() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "mine\n");

        Launched run =
                start(checkout.launch(checkout.script(), arguments("cat")).redirectInput(input.toFile()));

        assertThat(run.status()).isZero();
        assertThat(run.out()).isEqualTo("mine\n");
    }

    @Test
    void argumentsAndStatusPassThrough() throws Exception {
        Launched run =
                launched("sh", "-c", "printf '<%s>' \"$@\"; exit 42", "sh", "two words", "", "*", "$HOME", "a\nb");

        assertThat(run.status()).isEqualTo(42);
        assertThat(run.out()).isEqualTo("<two words><><*><$HOME><a\nb>");
    }

    @Test
    void inTheLocaleOfACronJobTooAndTheCommandKeepsThatLocale() throws Exception {
        ProcessBuilder builder =
                checkout.launch(checkout.script(), arguments("sh", "-c", "echo \"$LC_ALL|$1\"", "sh", "Übung €"));
        builder.environment().put("LC_ALL", "C");

        Launched run = start(builder);

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("C|Übung €\n");
    }

    @Test
    void itIsFoundThroughLinksFromAnywhere() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("else where"));
        Files.createSymbolicLink(folder.resolve("direct"), checkout.script());
        Path link = Files.createSymbolicLink(elsewhere.resolve("lock"), Path.of("../direct"));

        Launched run = start(checkout.launch(link, arguments("echo", "held")).directory(elsewhere.toFile()));

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("held\n");
    }

    @Test
    void itBecomesJavaSoThatSignalsArrive() throws Exception {
        Path up = folder.resolve("up");
        Launched run = launched("sh", "-c", "echo >" + up + "; exec sleep 1000");
        Await.lines(up, 1);

        assertThat(run.process().info().command())
                .hasValueSatisfying(it -> assertThat(it).endsWith("/java"));
        run.send("TERM");
        assertThat(run.status()).isEqualTo(143);
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        checkout.mvn("echo no compiler here >&2; exit 1");
        assertSaid(launched("true"), "the build failed");

        checkout.without("mvn");
        assertSaid(launched("true"), "no mvn found");

        checkout.without("java");
        assertSaid(launched("true"), "no java found");
    }

    @Test
    void aTurnThatCannotBeTakenIsSaid() throws Exception {
        Path turn = Files.createDirectories(checkout.file("lock-cli/target/launcher/building"));
        checkout.link("flock");
        assertSaid(launched("true"), "cannot write " + checkout.file("").toRealPath());

        Files.delete(turn);
        checkout.tool("flock", "exit 1");
        assertSaid(launched("true"), "flock failed");
        assertThat(checkout.builds()).isEmpty();
    }

    @Test
    void whereElseTheShellWouldGoDoesNotMatter() throws Exception {
        ProcessBuilder builder = checkout.launch(folder.relativize(checkout.script()), arguments("echo", "held"));
        builder.environment().put("CDPATH", folder.toString());

        Launched run = start(builder.directory(folder.toFile()));

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("held\n");
    }

    @Test
    void anOldJavaIsRefused() throws Exception {
        Path old = Files.createDirectories(folder.resolve("jdk-11/bin")).getParent();
        Files.writeString(
                old.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n", StandardCharsets.US_ASCII);
        Executable.write(old.resolve("bin/java"), "#!/bin/sh\necho ran\n");
        ProcessBuilder builder = checkout.launch(checkout.script(), arguments("true"));
        builder.environment().put("JAVA_HOME", old.toString());

        assertSaid(start(builder), "Java 11.0.2: Java 17 or newer is needed");
    }

    private static void assertSaid(Launched run, String part) throws InterruptedException {
        assertThat(run.status()).isEqualTo(69);
        assertThat(run.err()).contains("lock: ").contains(part);
        assertThat(run.out()).isEmpty();
    }
}
