package dev.holdfast.lock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A script with {@code pipefail} fails when a command's reader ends before the command has written everything: the command is killed by
 * SIGPIPE, with status 141, or not, depending on which of the two is faster.
 */
class ShellScriptsTest {

    private static final Path SCRIPTS = ModuleSources.ROOT.resolve(".ci");
    private static final Pattern ENDS_EARLY = Pattern.compile("\\|\\s*(head\\b|grep -\\w*[qm]|sed \\S*q\\b)");

    @Test
    void pipe_inAScriptWithPipefail_isReadToItsEnd() throws IOException {
        List<Path> scripts;
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            scripts = files.filter(Files::isExecutable)
                    .filter(Files::isRegularFile)
                    .toList();
        }
        assertThat(scripts).as("scripts").hasSizeGreaterThan(3);

        for (Path script : scripts) {
            assertThat(Files.readString(script)).as(script.toString()).contains("pipefail");
            assertThat(Files.readAllLines(script))
                    .as(script.toString())
                    .noneMatch(line -> ENDS_EARLY.matcher(line).find());
        }
    }
}
