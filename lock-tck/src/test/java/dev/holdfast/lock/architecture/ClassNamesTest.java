package dev.holdfast.lock.architecture;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A class name stands for one thing: no two classes of the main code, in whatever modules, share it. */
class ClassNamesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void classNames_ofMainCode_areUniqueAcrossModules() throws IOException {
        Map<String, List<Path>> byName;
        try (Stream<Path> files = Files.walk(ROOT)) {
            byName = files.map(ROOT::relativize)
                    .filter(file -> file.toString().matches("lock-[^/\\\\]+[/\\\\]src[/\\\\]main[/\\\\]java.*\\.java"))
                    .collect(groupingBy(file -> file.getFileName().toString()));
        }
        assertThat(byName).hasSizeGreaterThan(300);
        byName.keySet().removeAll(List.of("package-info.java", "module-info.java"));
        assertThat(byName.values()).allSatisfy(files -> assertThat(files).hasSize(1));
    }
}
