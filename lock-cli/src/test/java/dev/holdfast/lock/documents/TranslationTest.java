package dev.holdfast.lock.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.documents.Document.Block;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README in Chinese does not fall behind: what is the same in every language is the same in both. */
class TranslationTest {

    private static final Document ENGLISH = Document.named("README.md");
    private static final Document CHINESE = Document.named("README.zh-CN.md");

    @Test
    void readmeInChinese_hasTheBlocksOfTheReadme() {
        assertThat(code(CHINESE)).containsExactlyElementsOf(code(ENGLISH));
    }

    @Test
    void readmeInChinese_hasTheHeadingsListsAndTablesOfTheReadme() {
        assertThat(CHINESE.outline()).containsExactlyElementsOf(ENGLISH.outline());
    }

    /** Not in the order of the English sentences. */
    @Test
    void readmeInChinese_hasTheLinksNumbersAndNamesInCodeOfTheReadme() {
        assertThat(CHINESE.links().stream().filter(link -> !link.equals("README.md")))
                .containsExactlyInAnyOrderElementsOf(ENGLISH.links().stream()
                        .filter(link -> !link.equals("README.zh-CN.md"))
                        .toList());
        assertThat(CHINESE.numbers()).containsExactlyInAnyOrderElementsOf(ENGLISH.numbers());
        assertThat(CHINESE.words().toList())
                .containsExactlyInAnyOrderElementsOf(ENGLISH.words().toList());
    }

    @Test
    void readmes_linkToEachOther() {
        assertThat(ENGLISH.links()).first().isEqualTo("README.zh-CN.md");
        assertThat(CHINESE.links()).first().isEqualTo("README.md");
    }

    private static List<String> code(Document document) {
        return document.blocks().stream().map(TranslationTest::code).toList();
    }

    private static String code(Block block) {
        return block.language() + "\n" + block.text();
    }
}
