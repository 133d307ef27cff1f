package dev.holdfast.lock.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.lock.documents.Document.Block;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The test class with a container in docs/java.md is green. */
class ContainerExampleIT {

    @TempDir
    Path folder;

    @Test
    @EnabledIfSystemProperty(named = "lock.test.servers", matches = "containers")
    void testOnAContainer_inTheDocument_isGreen() throws Exception {
        List<Block> blocks = Document.named("docs/java.md")
                .blocks("java")
                .filter(block -> block.text().contains("GenericContainer"))
                .toList();
        assertThat(blocks).hasSize(1);
        assertThat(JavaBlocks.errors(blocks, folder)).isEmpty();

        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        try (URLClassLoader loader = new URLClassLoader(
                        new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
                Stream<Path> files = Files.walk(folder)) {
            Path only = files.filter(file -> file.toString().endsWith("Test.class"))
                    .findFirst()
                    .orElseThrow();
            String name =
                    folder.relativize(only).toString().replace(".class", "").replace('/', '.');
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectClass(loader.loadClass(name)))
                                    .build(),
                            summary);
        }
        assertThat(summary.getSummary().getFailures()).isEmpty();
        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(2);
    }
}
