package dev.holdfast.lock.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Text that another party chose is shown, and a terminal finds nothing in it to obey. */
class EscapedTextTest {

    static Stream<Arguments> shown() {
        return Stream.of(
                Arguments.of("nightly-report", "nightly-report"),
                Arguments.of("Größe 東京 😀 é", "Größe 東京 😀 é"),
                Arguments.of("red\u001B[31m", "red\\u001B[31m"),
                Arguments.of(
                        "two\r\nlines\u2028three\u2029four\u0085five",
                        "two\\u000D\\u000Alines\\u2028three\\u2029four\\u0085five"),
                Arguments.of("\u009B31m C1", "\\u009B31m C1"),
                Arguments.of(
                        "\u202Egnp.exe\u202C \u2066x\u2069 \u200F", "\\u202Egnp.exe\\u202C \\u2066x\\u2069 \\u200F"),
                Arguments.of("in\u200Bvisible\uFEFF", "in\\u200Bvisible\\uFEFF"),
                Arguments.of("tag\uDB40\uDC41", "tag\\uDB40\\uDC41"),
                Arguments.of("half \uD83D", "half \\uD83D"),
                Arguments.of("private \uE000 and del \u007F", "private \\uE000 and del \\u007F"),
                Arguments.of("a\\u001B", "a\\\\u001B"),
                Arguments.of(" both ends\u3000", "\\u0020both ends\\u3000"),
                Arguments.of("   ", "\\u0020\\u0020\\u0020"),
                Arguments.of("", ""));
    }

    @ParameterizedTest
    @MethodSource("shown")
    void ofName_whenTextIsHostile_showsItWithoutControlCharacters(String text, String shown) {
        assertThat(EscapedText.ofName(text)).isEqualTo(shown);
    }

    @Test
    void ofMessage_whenTextHasBackslashes_keepsThem() {
        assertThat(EscapedText.ofMessage("C:\\data \u001B[0m ")).isEqualTo("C:\\data \\u001B[0m ");
    }

    @ParameterizedTest
    @MethodSource("shown")
    void json_whenTextIsHostile_hasNoControlCharactersAndParsesToSameText(String text, String shown)
            throws IOException {
        StringWriter written = new StringWriter();
        JsonOutput.write(
                written, json -> json.beginArray().value(text).value("next").endArray());

        assertThat(written.toString().codePoints().filter(c -> c != '\n').filter(EscapedText::isUnsafe))
                .isEmpty();
        assertThat(JsonParser.parseString(written.toString())
                        .getAsJsonArray()
                        .get(0)
                        .getAsString())
                .isEqualTo(text);
    }
}
