package dev.holdfast.lock.redis.testserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Servers do not outlive the JVM that started them. */
class ServerProcessesTest {

    @Test
    void killedJvm_withServers_leavesNoProcessAndNoFile() throws IOException {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-XX:+UseSerialGC",
                        "-D" + ServerFiles.PROPERTY + "=" + System.getProperty(ServerFiles.PROPERTY, ""),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectError(Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
            long server = Long.parseLong(said.readLine());
            long frozen = Long.parseLong(said.readLine());
            List<Path> directories = List.of(Path.of(said.readLine()), Path.of(said.readLine()));
            assertThat(isRunning(server)).isTrue();
            assertThat(isRunning(frozen)).isTrue();
            assertThat(directories).allMatch(Files::isDirectory);

            jvm.destroyForcibly();

            Await.until("the servers have ended", () -> !isRunning(server) && !isRunning(frozen));
            Await.until("the files are gone", () -> directories.stream().noneMatch(Files::exists));
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** A zombie has no command line. */
    private static boolean isRunning(long pid) {
        Optional<String> command =
                ProcessHandle.of(pid).flatMap(each -> each.info().command());
        return command.isPresent() && command.get().contains("redis-server");
    }

    /** The JVM that is killed. */
    static final class Child {

        private Child() {}

        /** Starts two servers, freezes one, says their process ids and the directories, and waits for its end. */
        public static void main(String[] arguments) throws InterruptedException {
            EmbeddedServer server = new EmbeddedServer(Directives.standalone());
            EmbeddedServer frozen = new EmbeddedServer(Directives.standalone());
            frozen.freeze();
            System.out.println(server.process().pid());
            System.out.println(frozen.process().pid());
            ServerProcesses.OF_THIS_JVM.directories().forEach(System.out::println);
            new CountDownLatch(1).await();
        }
    }
}
