package dev.holdfast.lock.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.documents.Document.Block;
import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.spi.ConfigKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents agree with the product. Shell and SQL blocks are run by {@link DocumentsIT}. */
@Tag("first-build")
class DocumentsTest {

    /** Languages of blocks: those that are checked, and those that are only shown. */
    private static final Set<String> LANGUAGES =
            Set.of("java", "kotlin", "mermaid", "properties", "sh", "sql", "xml", "console", "cron", "text");

    /** Of a table of keys: the key, its default, its meaning and its limits. */
    private static final Pattern ROW =
            Pattern.compile("^\\| `(lock\\.[a-z.-]+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]*)\\|$", Pattern.MULTILINE);

    private static Names names;

    @TempDir
    Path output;

    @BeforeAll
    static void look() throws IOException {
        names = new Names();
    }

    @Test
    void links_inEveryDocument_leadToFilesAndHeadings() throws IOException {
        assertThat(documents().flatMap(document -> document.brokenLinks().stream()))
                .isEmpty();
    }

    @Test
    void blocks_inEveryDocument_nameALanguage() throws IOException {
        assertThat(Document.withBlocks().stream()
                        .flatMap(document -> document.blocks().stream())
                        .filter(block -> !LANGUAGES.contains(block.language()))
                        .map(Block::where))
                .isEmpty();
    }

    @Test
    void javaBlocks_compileOrQuoteTheExampleStore() throws IOException {
        String example = Document.filesBelow(Document.ROOT.resolve("samples/store/src"), ".java")
                .map(Document::textOf)
                .collect(Collectors.joining());
        List<Block> shown =
                blocks("java").filter(block -> !example.contains(block.text())).toList();
        assertThat(JavaBlocks.errors(shown, output)).isEmpty();
    }

    @Test
    void kotlinBlocks_quoteATest() throws IOException {
        String compiled = Document.filesBelow(Document.ROOT.resolve("lock-kotlin/src/test"), ".kt")
                .map(Document::textOf)
                .collect(Collectors.joining());
        assertThat(blocks("kotlin").filter(block -> !compiled.contains(block.text())))
                .isEmpty();
    }

    @Test
    void propertiesBlocks_areTakenByTheConfigurationParser() throws IOException {
        for (Block block : blocks("properties").toList()) {
            assertThat(Checks.properties(block)).isEmpty();
        }
    }

    @Test
    void xmlBlocks_parseAndNameTheVersionsOfTheBuild() throws Exception {
        for (Block block : blocks("xml").toList()) {
            assertThat(Checks.xml(block)).isEmpty();
        }
    }

    @Test
    void mermaidBlocks_beginWithAKindOfDiagram() throws IOException {
        assertThat(blocks("mermaid").flatMap(block -> Checks.mermaid(block).stream()))
                .isEmpty();
    }

    @Test
    void configurationPage_listsEveryKey_withItsDefaultItsDescriptionAndItsLimits() {
        Map<String, ConfigKey<?>> unlisted = Checks.keys();
        for (Matcher row = ROW.matcher(Document.named("docs/configuration.md").text()); row.find(); ) {
            ConfigKey<?> key = unlisted.remove(row.group(1));
            assertThat(key).as(row.group(1)).isNotNull();
            assertThat(plain(row.group(2)).replace("*required*", "must be set"))
                    .as("default of %s", key)
                    .isEqualTo(key.defaultText());
            assertThat(plain(row.group(3))).as("meaning of %s", key).startsWith(key.description());
            assertThat(plain(row.group(4))).as("limits of %s", key).startsWith(key.limits());
        }
        assertThat(unlisted.keySet()).isEmpty();
    }

    /** Without marks of code and links. */
    private static String plain(String cell) {
        return cell.replace("`", "").replaceAll("\\[([^]]+)]\\([^)]+\\)", "$1");
    }

    @Test
    void namesInEveryDocument_exist() throws IOException {
        assertThat(documents()
                        .flatMap(document -> Stream.of(
                                        names.unknownKeys(document),
                                        names.unknownPackages(document),
                                        names.unknownTables(document))
                                .flatMap(List::stream)))
                .isEmpty();
    }

    @Test
    void typesNamedForContributors_exist() {
        assertThat(Stream.of("ARCHITECTURE.md", "CONTRIBUTING.md")
                        .flatMap(name -> names.unknownTypes(Document.named(name)).stream()))
                .isEmpty();
    }

    @Test
    void eventsAndLogMessagesOnTheOperationsPage_exist() {
        Document operations = Document.named("docs/operations.md");
        assertThat(names.unknownConstants(operations)).isEmpty();
        assertThat(names.unknownMessages(operations)).isEmpty();
    }

    @Test
    void scriptsOfPostgreSql_areNamedOnItsPage() throws IOException {
        assertThat(Names.missingScripts(Document.named("docs/stores/postgresql.md")))
                .isEmpty();
    }

    /** But for comments and case; {@link DocumentsIT} executes it. */
    @Test
    void tableOfTheFence_onItsPage_isThatOfTheScript() throws IOException {
        String script;
        try (InputStream in = Fence.class.getResourceAsStream("postgresql/table.sql")) {
            script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(Document.named("docs/fencing.md").blocks("sql").map(block -> normalized(block.text())))
                .contains(normalized(script));
    }

    private static String normalized(String sql) {
        return sql.replaceAll("--.*", "").replaceAll("\\s+", " ").strip().toLowerCase(Locale.ROOT);
    }

    private static Stream<Document> documents() throws IOException {
        return Document.all().stream();
    }

    private static Stream<Block> blocks(String language) throws IOException {
        return Document.withBlocks().stream().flatMap(document -> document.blocks(language));
    }
}
