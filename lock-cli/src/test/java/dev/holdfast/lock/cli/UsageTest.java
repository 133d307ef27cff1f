package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A wrong command line: exit status 64, and one line that says what is wrong and what is allowed. */
class UsageTest {

    static Stream<Arguments> wrong() {
        return Stream.of(
                wrong("use one of run, list, top, release, config, doctor, status"),
                wrong("Unmatched argument", "walk"),
                wrong("'dctor'; did you mean 'doctor' or 'top'?", "dctor"),
                wrong("--jsn", "list", "--jsn"),
                wrong("'b'", "list", "a", "b"),
                wrong("'b'", "top", "a", "b"),
                wrong("more than once a second", "top", "--every", "999ms"),
                wrong("--every and --json exclude each other", "top", "--every", "5s", "--json"),
                wrong("NAME, AGE, LEFT, WAITERS, RENEWED", "top", "--sort", "size"),
                wrong("exclude each other", "doctor", "--local", "--config", "x"),
                wrong("'a'", "config", "a"),
                wrong("'a'", "status", "a"),
                wrong("NAME", "release", "--force", "--yes"),
                wrong("must not be empty", "release", "--force", "--yes", ""),
                wrong("'a\\u001B'", "release", "--yes", "a\u001B"),
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
                wrong("is negative; expected zero or more", "run", "--wait", "PT-5S", "a", "--", "echo"),
                wrong("30s", "run", "--lease", "5", "a", "--", "echo"),
                wrong("30s", "run", "--at-least", "1 day", "a", "--", "echo"),
                wrong("--shared and --max exclude each other", "run", "--shared", "--max", "3", "a", "--", "echo"),
                wrong("--max 0 would let no command run; expected 1 or more", "run", "--max", "0", "a", "--", "echo"),
                wrong("'many' is not an int", "run", "--max", "many", "a", "--", "echo"),
                wrong("'x' is not a long", "release", "--force", "--yes", "--token", "x", "a"),
                wrong("FAIL, SKIP", "run", "--if-busy", "wait", "a", "--", "echo"),
                wrong("exclude each other", "run", "--local", "--config", "x", "a", "--", "echo"),
                wrong("not text in this locale", "run", "a", "--", "echo", "\uFFFD"),
                wrong("'n\uFFFD' is not text in this locale", "run", "n\uFFFD", "--", "echo"),
                wrong("not text in this locale", "run", "--config", "\uFFFD", "a", "--", "echo"),
                wrong("not text in this locale", "list", "\uFFFD"),
                wrong("not text in this locale", "list", "--config=\uFFFD"),
                wrong("not text in this locale", "release", "--force", "--yes", "\uFFFD"),
                wrong("not text in this locale", "doctor", "--config", "\uFFFD"),
                wrong("not text in this locale", "\uFFFD"));
    }

    private static Arguments wrong(String part, String... arguments) {
        return Arguments.of(part, arguments);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void lock_whenCommandLineWrong_exitsWith64AndOneLineOfHelp(String part, String[] arguments) {
        CliInvocation result = CliInvocation.nonInteractive(arguments);

        assertThat(result.exitStatus()).isEqualTo(64);
        assertThat(result.stderr())
                .startsWith("lock: ")
                .contains(part)
                .matches(".* \\(see: lock( run| list| top| release| config| doctor| status)? --help\\)\n")
                .hasLineCount(1);
        assertThat(result.stdout()).isEmpty();
    }
}
