package dev.holdfast.lock.bench.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildJvmTest {

    /** Prints its process id, and waits. */
    static final class Idle {

        private Idle() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println(ProcessHandle.current().pid());
            System.in.transferTo(System.out);
        }
    }

    /** Where a JVM with {@code -Xrs} listens for tools from its beginning. */
    @Test
    void childJvm_whenKilled_leavesNoSocketBehind() throws Exception {
        List<Path> sockets;
        try (ChildJvm one = idle();
                ChildJvm another = idle()) {
            sockets = List.of(socket(one), socket(another));
            another.send("an answer");
            assertThat(another.line()).isEqualTo("an answer");
        }

        assertThat(sockets).noneMatch(socket -> socket.toFile().exists());
    }

    private static ChildJvm idle() throws IOException {
        return new ChildJvm(Idle.class, List.of(), List.of(), Redirect.INHERIT);
    }

    private static Path socket(ChildJvm child) throws Exception {
        return Path.of("/tmp", ".java_pid" + child.line());
    }
}
