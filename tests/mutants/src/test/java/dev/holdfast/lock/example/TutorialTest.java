package dev.holdfast.lock.example;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The example is as small as the tutorial says. */
@Tag("first-build")
class TutorialTest {

    /** The tutorial promises a hundred lines. */
    @Test
    void exampleStore_hasAboutAHundredLines() throws IOException {
        Path store = Folders.EXAMPLE.resolve("src/main/java/org/example/lock/files/DirectoryLockStore.java");
        String code = Files.readAllLines(store).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.matches("(import|package|//|/\\*|\\*).*"))
                .collect(joining("\n"));
        assertThat(code.lines()).hasSizeBetween(50, 110);
    }
}
