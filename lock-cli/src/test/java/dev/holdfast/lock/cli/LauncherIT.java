package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The script {@code lock}, and those of the benchmarks: they build once when necessary, and otherwise change nothing for the
 * caller.
 */
@Tag("second-build")
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
@Order(1)
class LauncherIT extends SqliteCliTestBase {

    /** Standard output is the command's: by default the JVM prints its warnings there. */
    private static final String WARNINGS_ELSEWHERE = " -Xlog:disable -Xlog:all=warning:stderr ";

    private FakeCheckout checkout;

    @BeforeEach
    void createCheckout() throws IOException {
        checkout = new FakeCheckout(folder);
    }

    @AfterEach
    void removeLinks() throws IOException {
        checkout.removeLinks();
    }

    private CliProcess launch() throws IOException {
        return start(checkout.launch(checkout.script(), "list"));
    }

    private void assertRuns(CliProcess launched, String... arguments) throws Exception {
        assertThat(launched.exitStatus()).as(launched.stderr()).isZero();
        assertThat(launched.stdout())
                .contains(WARNINGS_ELSEWHERE)
                .endsWith(" -jar " + checkout.file("lock-cli").toRealPath() + "/target/launcher/lock.jar "
                        + String.join(" ", arguments) + "\n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void launcher_whenFourStartOnFirstUse_buildsOnce(boolean flock) throws Exception {
        if (flock) {
            checkout.link("flock");
        }
        checkout.useSlowMvn();
        List<CliProcess> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(launch());
        }

        for (CliProcess one : all) {
            assertRuns(one, "list");
        }
        assertThat(checkout.builds()).hasSize(1);
    }

    @Test
    void launcher_whenBuilderDied_takesItsTurn() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        assertThat(dead.waitFor()).isZero();
        Path buildLock = Files.createDirectories(checkout.file("lock-cli/target/launcher/building.d"));
        Files.writeString(buildLock.resolve("pid"), dead.pid() + "\n");

        assertThat(launch().exitStatus()).isZero();
    }

    @Test
    void launcher_whenSourceChanged_buildsAgainOnce() throws Exception {
        assertThat(launch().exitStatus()).isZero();
        CliProcess second = launch();
        assertThat(second.exitStatus()).isZero();
        assertThat(second.stderr()).isEmpty();
        assertThat(checkout.builds()).hasSize(1);

        touch("lock-jdbc/src/main/java/Source.java");
        assertThat(launch().exitStatus()).isZero();
        assertThat(checkout.builds()).hasSize(2);

        touch("lock-redis/src/main/java/Source.java");
        assertThat(launch().exitStatus()).isZero();
        assertThat(checkout.builds()).hasSize(3);

        touch("lock-composite/src/main/java/Source.java");
        assertThat(launch().exitStatus()).isZero();
        assertThat(checkout.builds()).hasSize(4);

        assertThat(launch().exitStatus()).isZero();
        assertThat(checkout.builds()).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"bench,Bench", "demo,demo.Demo"})
    void scriptOfTheBenchmarks_whenStartedTwice_buildsThemOnceAndRunsThem(String script, String main) throws Exception {
        checkout.mvn("mkdir -p lock-bench/target && echo one.jar:two.jar >lock-bench/target/class-path");

        for (int i = 0; i < 2; i++) {
            CliProcess run = start(checkout.launch(checkout.file("lock-bench/" + script), "one", "two words"));
            assertThat(run.exitStatus()).as(run.stderr()).isZero();
            assertThat(run.stdout())
                    .contains(WARNINGS_ELSEWHERE)
                    .endsWith(" -cp " + checkout.file("lock-bench").toRealPath() + "/target/classes:one.jar:two.jar "
                            + "dev.holdfast.lock.bench." + main + " one two words\n");
        }

        assertThat(checkout.builds()).singleElement().asString().contains("-pl lock-bench -am");
    }

    @Test
    void bench_whenMariaDbAskedFor_downloadsItOnce() throws Exception {
        checkout.mvn("mkdir -p lock-bench/target && echo one.jar >lock-bench/target/class-path\n"
                + "case $* in *mariadb*) mkdir lock-bench/target/mariadb ;; esac");

        for (int i = 0; i < 2; i++) {
            CliProcess run = start(checkout.launch(checkout.file("lock-bench/bench"), "--quick", "--mariadb"));
            assertThat(run.exitStatus()).as(run.stderr()).isZero();
            assertThat(run.stdout()).startsWith("-").endsWith(" --quick --mariadb\n");
        }

        assertThat(checkout.builds()).hasSize(2).last().asString().contains("dependency:unpack@mariadb");
    }

    @Test
    void scriptOfTheBenchmarks_whenTheBuildFails_namesItself() throws Exception {
        checkout.mvn("exit 1");

        CliProcess run = start(checkout.launch(checkout.file("lock-bench/demo")));

        assertThat(run.exitStatus()).isEqualTo(69);
        assertThat(run.stderr()).contains("demo: the build failed");
    }

    @Test
    void launcher_whenMavenBuiltJar_usesItWithoutBuild() throws Exception {
        Files.createDirectories(checkout.file("lock-cli/target"));
        Files.createFile(checkout.file("lock-cli/target/lock.jar"));

        assertThat(launch().exitStatus()).isZero();
        assertThat(checkout.builds()).isEmpty();
    }

    private void touch(String file) throws IOException {
        Files.setLastModifiedTime(checkout.file(file), FileTime.fromMillis(System.currentTimeMillis()));
    }

    @Test
    void launcher_whenCalledThroughLinks_findsCheckout() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("else where"));
        Files.createSymbolicLink(folder.resolve("direct"), checkout.script());
        Path link = Files.createSymbolicLink(elsewhere.resolve("lock"), Path.of("../direct"));

        assertRuns(start(checkout.launch(link, "list").directory(elsewhere.toFile())), "list");
    }

    @Test
    void launcher_whenCdpathSet_findsCheckout() throws Exception {
        ProcessBuilder builder = checkout.launch(folder.relativize(checkout.script()), "list");
        builder.environment().put("CDPATH", folder.toString());

        assertRuns(start(builder.directory(folder.toFile())), "list");
    }

    /** On first use, and in the locale of a cron job, in which Java could not pass on all characters. */
    @Test
    void launcher_always_passesInputArgumentsLocaleAndStatus() throws Exception {
        checkout.useRealJava();
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

        CliProcess run = start(builder.redirectInput(input.toFile()));

        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(42);
        assertThat(run.stdout()).isEqualTo("mine\nC\n<two words><><*><$HOME><a\nb><Übung €>");
    }

    @Test
    void launcher_always_becomesJavaSoThatSignalsArrive() throws Exception {
        checkout.useRealJava();
        Path up = folder.resolve("up");
        CliProcess run = start(checkout.launch(
                checkout.script(), running("sh", "-c", "echo >\"$0\"; exec sleep 1000", up.toString())));
        run.awaitLine(up);

        assertThat(run.process().info().command())
                .hasValueSatisfying(it -> assertThat(it).endsWith("/java"));
        run.send("TERM");
        assertThat(run.exitStatus()).isEqualTo(143);
    }

    @Test
    void launcher_always_keepsTheLimitOfOpenFiles() throws Exception {
        checkout.useRealJava();
        List<String> words = checkout.launch(checkout.script(), running("sh", "-c", "ulimit -Sn"))
                .command();
        ProcessBuilder limited =
                checkout.launch(Path.of("/bin/sh"), "-c", "ulimit -Sn 500; exec " + CliProcess.quoted(words));

        CliProcess run = start(limited);

        assertThat(run.exitStatus()).as(run.stderr()).isZero();
        assertThat(run.stdout()).isEqualTo("500\n");
    }

    private String[] running(String... command) {
        return Stream.concat(Stream.of("run", "--config", config.toString(), "a", "--"), Stream.of(command))
                .toArray(String[]::new);
    }

    @Test
    void launcher_whenToolMissing_namesIt() throws Exception {
        checkout.mvn("echo no compiler here >&2; exit 1");
        assertRefused(launch(), "the build failed");

        checkout.remove("mvn");
        assertRefused(launch(), "no mvn found");

        checkout.remove("java");
        assertRefused(launch(), "no java found");
    }

    @Test
    void launcher_whenBuildLockUnavailable_saysSo() throws Exception {
        Path buildLock = Files.createDirectories(checkout.file("lock-cli/target/launcher/building"));
        checkout.link("flock");
        assertRefused(launch(), "cannot write " + checkout.file("").toRealPath());

        Files.delete(buildLock);
        checkout.tool("flock", "exit 1");
        assertRefused(launch(), "flock failed");
        assertThat(checkout.builds()).isEmpty();
    }

    @Test
    void launcher_whenJavaTooOld_refusesIt() throws Exception {
        assertRefused(launchOn("11.0.2", "11.0.2+9"), "Java 11.0.2: Java 17 or newer is needed");
    }

    /** Starts the launcher with a JDK that prints the arguments of its java. */
    private CliProcess launchOn(String version, String build) throws IOException {
        Path jdk = folder.resolve("jdk-" + build);
        if (!Files.exists(jdk)) {
            Files.createDirectories(jdk.resolve("bin"));
            Files.writeString(
                    jdk.resolve("release"),
                    "IMPLEMENTOR=\"x\"\nJAVA_RUNTIME_VERSION=\"%s\"\nJAVA_VERSION=\"%s\"\nOS_ARCH=\"s390x\"\n"
                            .formatted(build, version),
                    StandardCharsets.US_ASCII);
            ExecutableFile.write(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\n");
        }
        ProcessBuilder builder = checkout.launch(checkout.script(), "list");
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        return start(builder);
    }

    @ParameterizedTest
    @CsvSource({"17.0.1, 17.0.1+12, -XX:SharedArchiveFile=", "25, 25+36-LTS, -XX:AOTCache="})
    void launcher_whenThereIsNoArchiveOfThisJdk_asksJavaForOneAndUsesItFromThenOn(
            String version, String build, String option) throws Exception {
        assertThat(launchOn(version, build).stdout()).doesNotContain(option).contains(" -Dholdfast.class-archive=");
        Path archive = checkout.file("lock-cli").toRealPath().resolve("target/launcher/lock-" + build + "-s390x.jsa");
        String making = " -Dholdfast.class-archive=" + archive + " ";
        assertThat(launchOn(version, build).stdout()).contains(making);

        Files.writeString(archive, "classes");
        assertThat(launchOn(version, build).stdout())
                .contains(" " + option + archive + " ")
                .contains(" -Dorg.sqlite.lib.path=" + archive + ".sqlite ")
                .doesNotContain("-Dholdfast.class-archive=");
        assertThat(launchOn(version, build + "-2").stdout())
                .contains(build + "-2-s390x.jsa ")
                .doesNotContain(option);
        assertThat(checkout.builds()).hasSize(1);

        touch("lock-cli/src/main/java/Source.java");
        assertThat(launchOn(version, build).stdout()).as("of another jar").contains(making);
    }

    @Test
    void launcher_whenTheArchiveIsEmpty_neitherUsesItNorAsksForAnother() throws Exception {
        assertThat(launchOn("17.0.1", "17.0.1+12").exitStatus()).isZero();
        Files.createFile(checkout.file("lock-cli/target/launcher/lock-17.0.1+12-s390x.jsa"));

        assertThat(launchOn("17.0.1", "17.0.1+12").stdout())
                .contains(" -Xshare:auto ")
                .doesNotContain(".jsa");
    }

    @Test
    void launcher_whenTheFolderOfTheJarIsNotWritable_keepsTheArchiveInTheUsersCache() throws Exception {
        assertThat(launchOn("17.0.1", "17.0.1+12").exitStatus()).isZero();
        Path launcher = checkout.file("lock-cli/target/launcher").toRealPath();
        assertThat(launcher.toFile().setWritable(false)).isTrue();
        try {
            assumeFalse(Files.isWritable(launcher), "root may write everywhere");
            Path archive = Path.of(folder.resolve("cache/holdfast") + launcher.toString(), "lock-17.0.1+12-s390x.jsa");
            assertThat(launchOn("17.0.1", "17.0.1+12").stdout()).contains(" -Dholdfast.class-archive=" + archive + " ");

            Files.createDirectories(archive.getParent());
            Files.writeString(archive, "classes");
            assertThat(launchOn("17.0.1", "17.0.1+12").stdout()).contains(" -XX:SharedArchiveFile=" + archive + " ");
        } finally {
            assertThat(launcher.toFile().setWritable(true)).isTrue();
        }
    }

    @Test
    void launcher_whenStartedTwiceOnFirstUse_printsNothingAndLeavesOneArchiveThatJavaUses() throws Exception {
        checkout.useRealJava();
        List<CliProcess> both = List.of(start(realRun("echo", "held")), start(realRun("echo", "held")));
        for (CliProcess each : both) {
            assertThat(each.exitStatus()).as(each.stderr()).isZero();
            assertThat(each.stdout()).isEqualTo("held\n");
        }
        assertThat(both.get(0).stderr() + both.get(1).stderr())
                .isEqualTo("lock: building, on first use or after a change\nbuilding\n");
        try (Stream<Path> left = Files.list(checkout.file("lock-cli/target/launcher"))) {
            assertThat(left.map(file -> file.getFileName().toString().replaceAll("lock-.*jsa", "lock-….jsa")))
                    .containsOnlyOnce("lock-….jsa", "lock-….jsa.sqlite")
                    .isSubsetOf("lock-….jsa", "lock-….jsa.sqlite", "lock.jar", "archiving", "building");
        }

        CliProcess third = start(realRun("sh", "-c", "cat /proc/$PPID/maps"));
        assertThat(third.stdout())
                .as("files in the memory of java")
                .containsPattern("/target/launcher/lock-.*\\.jsa\n")
                .containsPattern("/target/launcher/lock-.*\\.jsa\\.sqlite/.*sqlitejdbc");
    }

    private ProcessBuilder realRun(String... command) {
        ProcessBuilder builder = checkout.launch(checkout.script(), running(command));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }

    private static void assertRefused(CliProcess run, String part) throws InterruptedException {
        assertThat(run.exitStatus()).isEqualTo(69);
        assertThat(run.stderr()).contains("lock: ").contains(part);
        assertThat(run.stdout()).isEmpty();
    }
}
