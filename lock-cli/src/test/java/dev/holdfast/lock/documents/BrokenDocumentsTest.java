package dev.holdfast.lock.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.documents.Document.Block;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A check that finds nothing is worth nothing: each finds what is wrong with a broken example. */
@Tag("first-build")
class BrokenDocumentsTest {

    @TempDir
    Path output;

    private static Document document(String text) {
        return new Document(Document.ROOT.resolve("docs/broken.md"), text);
    }

    private static Block block(String language, String text) {
        return document("# A title\n\n```" + language + "\n" + text + "\n```\n")
                .blocks(language)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void links_toMissingFilesAndHeadings_areFound() {
        assertThat(document(
                                "# A `title`, twice\n[a](missing.md) [b](#missing) [c](../README.md#missing) [d](#a-title-twice)"
                                        + " [e](../README.md#promises) [f](../LICENSE) [g](https://example.org) `[h](code)`")
                        .brokenLinks())
                .containsExactly(
                        "docs/broken.md: missing.md",
                        "docs/broken.md: #missing",
                        "docs/broken.md: ../README.md#missing");
    }

    @Test
    void headingsOfTheSameWords_areNumbered() {
        assertThat(document("# Twice\n# Twice\n```text\n# Never\n```\n").anchors())
                .containsExactlyInAnyOrder("twice", "twice-1");
    }

    @Test
    void block_inAList_losesItsIndentation() {
        assertThat(document("1. First:\n\n   ```java\n   a();\n   ```\n").blocks())
                .containsExactly(new Block("docs/broken.md:3", "java", "a();\n"));
    }

    @Test
    void javaBlock_withUnknownMethod_doesNotCompile() throws Exception {
        assertThat(JavaBlocks.errors(
                        List.of(block("java", "lock.tryAcquire();"), block("java", "lock.grab();")), output))
                .singleElement()
                .asString()
                .contains("docs/broken.md:3", "grab");
        assertThat(JavaBlocks.errors(List.of(block("java", "class Mine implements Missing {}")), output))
                .singleElement()
                .asString()
                .contains("Missing");
        assertThat(JavaBlocks.errors(List.of(block("java", "@Locked(\"a\", waits = 1)\nvoid a() {}")), output))
                .isNotEmpty();
        assertThat(JavaBlocks.errors(List.of(block("java", "@Locked(\"a\")\nvoid a() {}")), output))
                .isEmpty();
    }

    @Test
    void propertiesBlock_withUnknownKey_isRefused() throws Exception {
        assertThat(Checks.properties(block("properties", "lock.provider=redis\nlock.redis.ury=x")))
                .singleElement()
                .asString()
                .contains("docs/broken.md:3", "lock.redis.uri");
        assertThat(Checks.properties(block("properties", "holdfast.leese=10s")))
                .containsExactly("docs/broken.md:3: holdfast.leese");
    }

    @Test
    void xmlBlock_thatIsCutOffOrOutdated_isFound() throws Exception {
        assertThat(Checks.xml(block("xml", "<a><b></a>"))).hasSize(1);
        assertThat(Checks.xml(block("xml", "<d><artifactId>postgresql</artifactId>\n<version>0.1</version></d>")))
                .singleElement()
                .asString()
                .contains("postgresql");
    }

    @Test
    void mermaidBlock_withoutKind_isFound() {
        assertThat(Checks.mermaid(block("mermaid", "A->>B: ask"))).hasSize(1);
        assertThat(Checks.mermaid(block("mermaid", "sequenceDiagram\nA->>B: ask")))
                .isEmpty();
    }

    @Test
    void namesThatTheProductDoesNotHave_areFound() throws Exception {
        Names names = new Names();
        assertThat(names.unknownKeys(document("`lock.leese=1s` `lock.lease` `lock.properties` `lock.run()`")))
                .containsExactly("docs/broken.md: lock.leese");
        assertThat(names.unknownPackages(document("`dev.holdfast.lock.missing` `dev.holdfast.lock.cli`")))
                .containsExactly("docs/broken.md: dev.holdfast.lock.missing");
        assertThat(names.unknownTables(document("`holdfast_lock` `holdfast_missing`")))
                .containsExactly("docs/broken.md: holdfast_missing");
        assertThat(names.unknownConstants(document("`PRIMARY_ACTIVE` `PRIMARY_SLEEPS`")))
                .containsExactly("docs/broken.md: PRIMARY_SLEEPS");
        assertThat(names.unknownTypes(document("`DistributedLock` `DistributedDoor`")))
                .containsExactly("docs/broken.md: DistributedDoor");
        assertThat(names.unknownMessages(document("| `events were … sung` | WARN | |")))
                .containsExactly("docs/broken.md: sung");
        assertThat(Names.missingScripts(document("V1__tables.sql"))).isNotEmpty();
    }
}
