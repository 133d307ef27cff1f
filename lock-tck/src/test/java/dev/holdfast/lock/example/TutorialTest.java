package dev.holdfast.lock.example;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tutorial quotes the code of the example literally. */
class TutorialTest {

    private static final Pattern TUTORIAL =
            Pattern.compile("^## Your own store in a hundred lines$(.*?)^## ", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern QUOTED = Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    @Test
    void quotation_isCodeOfTheExample() throws IOException {
        List<String> sources = new ArrayList<>();
        for (Path file : Folders.files(Folders.EXAMPLE.resolve("src"))) {
            sources.add(Files.readString(file));
        }
        assertThat(quotations())
                .isNotEmpty()
                .allSatisfy(quoted -> assertThat(sources)
                        .anySatisfy(source -> assertThat(source).contains(quoted)));
    }

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

    private static List<String> quotations() throws IOException {
        Matcher tutorial = TUTORIAL.matcher(Files.readString(Path.of("README.md")));
        assertThat(tutorial.find()).as("a tutorial").isTrue();
        return QUOTED.matcher(tutorial.group(1))
                .results()
                .map(found -> found.group(1))
                .toList();
    }
}
