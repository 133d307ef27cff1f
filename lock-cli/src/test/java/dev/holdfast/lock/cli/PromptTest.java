package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers that mean yes. */
class PromptTest {

    private final ByteArrayOutputStream result = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(strings = {"y\n", "Y\n", "yes\n", " Yes \n", "y"})
    void confirm_whenAnswerIsYes_returnsTrue(String answer) throws IOException {
        assertThat(confirm(answer)).isTrue();
        assertThat(result.toString(US_ASCII)).isEqualTo("Really? [y/N] ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"n\n", "\n", "yesterday\n", "no\ny\n", ""})
    void confirm_whenAnswerIsOtherOrMissing_returnsFalse(String answer) throws IOException {
        assertThat(confirm(answer)).isFalse();
    }

    private boolean confirm(String answer) throws IOException {
        return new Prompt.OnTerminal(
                        new PrintStream(result, true, US_ASCII), new ByteArrayInputStream(answer.getBytes(US_ASCII)))
                .confirm("Really?");
    }
}
