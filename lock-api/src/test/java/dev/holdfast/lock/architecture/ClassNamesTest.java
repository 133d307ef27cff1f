package dev.holdfast.lock.architecture;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A class name stands for one thing: no two classes of the main code, in whatever modules, share it. */
class ClassNamesTest {

    @Test
    void classNames_ofMainCode_areUniqueAcrossModules() throws IOException {
        Map<String, List<Path>> byName = ModuleSources.of("src/main/java").stream()
                .collect(groupingBy(file -> file.getFileName().toString()));
        assertThat(byName).hasSizeGreaterThan(300);
        byName.keySet().removeAll(List.of("package-info.java", "module-info.java"));
        assertThat(byName.values()).allSatisfy(files -> assertThat(files).hasSize(1));
    }
}
