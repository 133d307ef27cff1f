package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A wrong command line: 64, and one line that says what is wrong and what is allowed. */
class UsageTest {

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    static Stream<Arguments> wrong() {
        return Stream.of(
                wrong("There is: run"),
                wrong("Unmatched argument", "walk"),
                wrong("NAME", "run"),
                wrong("NAME", "run", "--", "echo"),
                wrong("no command", "run", "a"),
                wrong("no command", "run", "a", "--"),
                wrong("the command's name is empty", "run", "a", "--", ""),
                wrong("must not be empty", "run", "", "--", "echo"),
                wrong("255 code points", "run", "x".repeat(256), "--", "echo"),
                wrong("'b'", "run", "a", "b", "--", "echo"),
                wrong("--waitt", "run", "--waitt=1s", "a", "--", "echo"),
                wrong("--wait", "run", "a", "--wait", "--", "echo"),
                wrong("30s", "run", "--wait", "soon", "a", "--", "echo"),
                wrong("30s", "run", "--wait", "-5s", "a", "--", "echo"),
                wrong("is negative; allowed is zero or more", "run", "--wait", "PT-5S", "a", "--", "echo"),
                wrong("30s", "run", "--lease", "5", "a", "--", "echo"),
                wrong("30s", "run", "--at-least", "1 day", "a", "--", "echo"),
                wrong("FAIL, SKIP", "run", "--if-busy", "wait", "a", "--", "echo"),
                wrong("exclude each other", "run", "--local", "--config", "x", "a", "--", "echo"),
                wrong("not text in this locale", "run", "a", "--", "echo", "\uFFFD"));
    }

    private static Arguments wrong(String part, String... arguments) {
        return Arguments.of(part, arguments);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void is64(String part, String[] arguments) {
        int status = Main.status(arguments, new Messages(new PrintStream(said, true, UTF_8)));

        assertThat(status).isEqualTo(64);
        assertThat(said.toString(UTF_8))
                .startsWith("lock: ")
                .contains(part)
                .endsWith(" (see: lock run --help)\n")
                .hasLineCount(1);
    }
}
