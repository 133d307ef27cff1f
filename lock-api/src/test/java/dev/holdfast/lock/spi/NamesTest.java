package dev.holdfast.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

    static Stream<String> allowed() {
        return Stream.of("a", " ", "Ünï-cödé", "a".repeat(255), "😀".repeat(255), "'; drop table x; --", "%_*{}");
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("", "must not be empty"),
                Arguments.of("a".repeat(256), "has at most 255 code points, this one has 256"),
                Arguments.of("😀".repeat(256), "this one has 256"),
                Arguments.of("a\0b", "U+0000 (at index 1)"),
                Arguments.of("ab\ud83d", "lone surrogate (U+D83D at index 2)"),
                Arguments.of("\ude00\ud83d", "lone surrogate (U+DE00 at index 0)"));
    }

    @ParameterizedTest
    @MethodSource("allowed")
    void lockName_ofAllowedText_isUnchanged(String value) {
        assertThat(new LockName(value).value()).isEqualTo(value);
    }

    @ParameterizedTest
    @MethodSource("refused")
    void lockName_ofInvalidText_throwsWithTheReason(String value, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LockName(value))
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "ä", "a/b"})
    void namespace_ofInvalidText_throwsWithWhatIsAllowed(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Namespace(value))
                .withMessageContaining(Namespace.ALLOWED);
        assertThatIllegalArgumentException().isThrownBy(() -> new Namespace("n".repeat(65)));
    }

    @Test
    void acquisitionId_asText_hasThirtyTwoDigits() {
        assertThat(new AcquisitionId(1, -1)).hasToString("0000000000000001ffffffffffffffff");
    }
}
