package dev.holdfast.lock.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.documents.Document.Block;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The programs on the pages "From zero to a lock", with the settings beside them, print what their page says. The page on Kotlin quotes a
 * test of lock-kotlin; {@link DocumentsIT} runs the one on the command line.
 */
@Tag("first-build")
class StartPagesIT {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "docs/start/java.md, lock.properties, Report",
        "docs/start/spring-boot.md, application.properties, com.example.reports.Application"
    })
    void program_withTheSettingsOfItsPage_printsWhatThePageSays(String page, String settings, String main)
            throws Exception {
        Document document = Document.named(page);
        Files.writeString(folder.resolve(settings), only(document, "properties"));
        compile(main.substring(main.lastIndexOf('.') + 1), only(document, "java"));

        assertThat(run(main)).contains(only(document, "text"));
    }

    private static String only(Document document, String language) {
        return document.blocks(language)
                .map(Block::text)
                .reduce((one, another) -> {
                    throw new AssertionError("more than one block of " + language + " in " + document.file());
                })
                .orElseThrow();
    }

    private void compile(String type, String source) throws IOException {
        Path file = Files.writeString(folder.resolve(type + ".java"), source);
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-parameters",
                        "-cp",
                        classPath(),
                        "-d",
                        folder.toString(),
                        file.toString());
        assertThat(status).as("status of the compiler").isZero();
    }

    private String classPath() {
        return folder + File.pathSeparator + System.getProperty("java.class.path");
    }

    private String run(String main) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath(),
                        main)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).as(Files.readString(output)).isZero();
        return Files.readString(output);
    }
}
