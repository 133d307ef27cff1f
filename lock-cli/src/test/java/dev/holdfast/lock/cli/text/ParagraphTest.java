package dev.holdfast.lock.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Running text in lines. */
class ParagraphTest {

    @Test
    void breaksBetweenWords() {
        assertThat(Paragraph.lines("to be or not to be", 9)).containsExactly("to be or", "not to be");
        assertThat(Paragraph.lines("a word-that-is-longer b", 5)).containsExactly("a", "word-that-is-longer", "b");
        assertThat(Paragraph.lines(" short\n ", 80)).containsExactly("short");
    }
}
