package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which store is meant, by what is found first. */
class StoreTest {

    @TempDir
    private Path working;

    @TempDir
    private Path etc;

    private final Properties properties = new Properties();

    @Test
    void theOptionComesFirst() throws IOException {
        everyFile();

        assertThat(chosen(Optional.of(Path.of("mine")), Map.of("LOCK_CONFIG", "environment's")))
                .isEqualTo(new Store.Described(Path.of("mine"), Choice.OPTION));
    }

    @Test
    void thenTheEnvironmentsFile() throws IOException {
        everyFile();

        assertThat(chosen(Optional.empty(), Map.of("LOCK_CONFIG", "environment's")))
                .isEqualTo(new Store.Described(Path.of("environment's"), Choice.VARIABLE));
    }

    @Test
    void thenTheWorkingDirectorysFile() throws IOException {
        everyFile();

        assertThat(chosen(Optional.empty(), Map.of("LOCK_CONFIG", "")))
                .isEqualTo(new Store.Described(working.resolve("lock.properties"), Choice.WORKING_DIRECTORY));
    }

    @Test
    void thenTheSystemsFile() throws IOException {
        Files.createFile(etc.resolve("lock.properties"));

        assertThat(chosen(Optional.empty(), Map.of("LOCK_PROVIDER", "jdbc")))
                .isEqualTo(new Store.Described(etc.resolve("lock.properties"), Choice.SYSTEM));
    }

    @Test
    void thenTheEnvironmentAlone() {
        assertThat(chosen(Optional.empty(), Map.of("LOCK_PROVIDER", "jdbc"))).isEqualTo(new Store.Overriding());
        assertThat(chosen(Optional.empty(), Map.of("LOCK_JDBC_URL", "jdbc:x"))).isEqualTo(new Store.Overriding());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock.provider", "lock.jdbc.url"})
    void orASystemPropertyAlone(String key) {
        properties.setProperty(key, "any");

        assertThat(chosen(Optional.empty(), Map.of())).isEqualTo(new Store.Overriding());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> local(Optional.empty(), Map.of()))
                .withMessageContaining(key);
    }

    @Test
    void aLinkToNowhereIsAFileThatCannotBeReadAndNoReasonToLookFurther() throws IOException {
        Path link = Files.createSymbolicLink(working.resolve("lock.properties"), working.resolve("nowhere"));

        assertThat(chosen(Optional.empty(), Map.of("LOCK_PROVIDER", "jdbc")))
                .isEqualTo(new Store.Described(link, Choice.WORKING_DIRECTORY));
    }

    @Test
    void elseTheLocalStoreWithANotice() {
        assertThat(chosen(Optional.empty(), Map.of())).isEqualTo(new Store.Local(false));
    }

    @Test
    void theLocalStoreCanBeAskedForWhateverFilesThereAre() throws IOException {
        everyFile();

        assertThat(local(Optional.empty(), Map.of("LOCK_CONFIG", "environment's")))
                .isEqualTo(new Store.Local(true));
    }

    @Test
    void butNotTogetherWithAnother() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> local(Optional.of(Path.of("mine")), Map.of()))
                .withMessageContaining("--config");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> local(Optional.empty(), Map.of("LOCK_JDBC_URL", "jdbc:x")))
                .withMessageContaining("LOCK_JDBC_URL");
    }

    private void everyFile() throws IOException {
        Files.createFile(working.resolve("lock.properties"));
        Files.createFile(etc.resolve("lock.properties"));
    }

    private Store chosen(Optional<Path> option, Map<String, String> environment) {
        return Store.chosen(option, false, environment, properties, working, etc.resolve("lock.properties"));
    }

    private Store local(Optional<Path> option, Map<String, String> environment) {
        return Store.chosen(option, true, environment, properties, working, etc.resolve("lock.properties"));
    }
}
