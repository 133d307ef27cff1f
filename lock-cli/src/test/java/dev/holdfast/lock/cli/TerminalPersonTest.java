package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers mean yes. */
class TerminalPersonTest {

    private final ByteArrayOutputStream asked = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(strings = {"y\n", "Y\n", "yes\n", " Yes \n", "y"})
    void thisIsYes(String answer) throws IOException {
        assertThat(agrees(answer)).isTrue();
        assertThat(asked.toString(US_ASCII)).isEqualTo("Really? [y/N] ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"n\n", "\n", "yesterday\n", "no\ny\n", ""})
    void anythingElseAndTheEndOfTheInputIsNo(String answer) throws IOException {
        assertThat(agrees(answer)).isFalse();
    }

    private boolean agrees(String answer) throws IOException {
        return new TerminalPerson(
                        new PrintStream(asked, true, US_ASCII), new ByteArrayInputStream(answer.getBytes(US_ASCII)))
                .agrees("Really?");
    }
}
