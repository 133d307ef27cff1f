package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The example store is built by itself, on our jars as they would be installed, and passes the kit. */
class ExampleStoreIT {

    @Test
    void theExampleIsBuiltOnOurJarsAndConforms() throws Exception {
        Path project = Folders.copyOfTheExample(Folders.TARGET.resolve("project"));
        StagedRepository repository = StagedRepository.make(Folders.TARGET.resolve("repository"));

        NestedMaven.run(project, repository, "verify");

        Path reports = project.resolve("target").resolve("conformance");
        String text = Files.readString(reports.resolve("org.example.lock.files.DirectoryLockStoreTest.txt"));
        assertThat(text)
                .contains("\nthe store conforms, as far as it was checked\n")
                .contains("\nprovider      files\n")
                .contains("\nstore         org.example.lock.files.DirectoryLockStore from " + project)
                .containsPattern("\nkit .*Contract [0-9][^ ]* from " + jar(repository, "lock-tck") + "\n")
                .containsPattern("\napi .* from " + jar(repository, "lock-api") + "\n");
        assertThat(text.lines().filter(line -> line.startsWith("    ")))
                .as("what could not be checked")
                .allSatisfy(line -> assertThat(line).contains("this store does not have the capability"));
        assertThat(Files.readString(reports.resolve("org.example.lock.files.DirectoryLockStoreTest.json")))
                .contains("\"conforms\": true")
                .contains("\"provider\": \"files\"");
    }

    private static String jar(StagedRepository repository, String artifact) {
        return repository.path() + "/dev/holdfast/" + artifact + "/[^/]+/" + artifact + "-[^/]+\\.jar";
    }
}
