package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;

/** The example store, built as a project of its own on the installed jars, passes the kit. */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class ExampleStoreTest {

    private static final String REPORT = "target/conformance/org.example.lock.files.DirectoryLockStoreTest";

    private static Path project;
    private static StagedRepository repository;

    @BeforeAll
    static void build() throws Exception {
        project = Folders.copyOfTheExample(Folders.TARGET.resolve("project"));
        repository = StagedRepository.make(Folders.TARGET.resolve("repository"));
        NestedMaven.run(project, repository, "verify");
    }

    @Test
    void exampleStore_conforms() throws IOException {
        assertThat(Files.readString(project.resolve(REPORT + ".txt")))
                .contains("\nthe store conforms to every rule that was checked\n")
                .contains("\nprovider      files\n");
        assertThat(Files.readString(project.resolve(REPORT + ".json")))
                .contains("\"conforms\": true")
                .contains("\"provider\": \"files\"");
    }

    @Test
    void exampleStore_abortsOnlyForRestartAndMissingCapabilities() throws IOException {
        assertThat(Files.readAllLines(project.resolve(REPORT + ".txt")).stream()
                        .filter(line -> line.startsWith("    ")))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line)
                        .containsAnyOf(
                                ": this store does not have the capability ",
                                ": there is no server: ",
                                " histories of up to three locks"));
    }

    @Test
    void exampleBuild_usesTheJars() throws Exception {
        assertThat(Files.readAllLines(project.resolve(REPORT + ".txt")))
                .contains("store         org.example.lock.files.DirectoryLockStore from "
                        + project.resolve("target/classes"))
                .anySatisfy(line -> assertThat(line)
                        .matches("kit +dev.holdfast.lock.tck.LockStoreContract [0-9].* from .*")
                        .endsWith(" from " + repository.jar("lock-tck")))
                .anySatisfy(
                        line -> assertThat(line).startsWith("api ").endsWith(" from " + repository.jar("lock-api")));
    }

    @Test
    void exampleProvider_onTheModulePath_isFound() throws Exception {
        ModuleFinder jars = ModuleFinder.of(
                project.resolve("target/lock-files-1.0.0.jar"),
                repository.jar("lock-api"),
                StagedRepository.jarOf(Logger.class));
        Configuration modules =
                ModuleLayer.boot().configuration().resolve(jars, ModuleFinder.of(), Set.of("org.example.lock.files"));
        ModuleLayer layer =
                ModuleLayer.boot().defineModulesWithOneLoader(modules, ClassLoader.getPlatformClassLoader());
        Class<?> service = layer.findLoader("dev.holdfast.lock").loadClass(LockProvider.class.getName());

        assertThat(ServiceLoader.load(layer, service).stream()
                        .map(provider -> provider.type().getName()))
                .containsExactlyInAnyOrder(
                        "org.example.lock.files.DirectoryLockProvider", MemoryLockProvider.class.getName());
    }
}
