package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.cli.StoreConfig.Source;
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

/** Which store is selected, by the first configuration that exists. */
class StoreConfigTest {

    @TempDir
    private Path working;

    @TempDir
    private Path etc;

    private final Properties properties = new Properties();

    @Test
    void select_whenOptionGiven_usesItsFile() throws IOException {
        createAllFiles();

        assertThat(select(Optional.of(Path.of("mine")), Map.of("LOCK_CONFIG", "environment's")))
                .isEqualTo(file(Source.OPTION, Path.of("mine")));
    }

    @Test
    void select_whenLockConfigSet_usesItsFile() throws IOException {
        createAllFiles();

        assertThat(select(Optional.empty(), Map.of("LOCK_CONFIG", "environment's")))
                .isEqualTo(file(Source.VARIABLE, Path.of("environment's")));
    }

    @Test
    void select_whenFileInWorkingDirectory_usesIt() throws IOException {
        createAllFiles();

        assertThat(select(Optional.empty(), Map.of("LOCK_CONFIG", "")))
                .isEqualTo(file(Source.WORKING_DIRECTORY, working.resolve("lock.properties")));
    }

    @Test
    void select_whenOnlySystemFileExists_usesIt() throws IOException {
        Files.createFile(etc.resolve("lock.properties"));

        assertThat(select(Optional.empty(), Map.of("LOCK_PROVIDER", "jdbc")))
                .isEqualTo(file(Source.SYSTEM, etc.resolve("lock.properties")));
    }

    @Test
    void select_whenOnlyEnvironmentNamesStore_usesEnvironment() {
        assertThat(select(Optional.empty(), Map.of("LOCK_PROVIDER", "jdbc")))
                .isEqualTo(withoutFile(Source.ENVIRONMENT));
        assertThat(select(Optional.empty(), Map.of("LOCK_JDBC_URL", "jdbc:x")))
                .isEqualTo(withoutFile(Source.ENVIRONMENT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock.provider", "lock.jdbc.url"})
    void select_whenOnlySystemPropertyNamesStore_usesItAndRejectsLocal(String key) {
        properties.setProperty(key, "any");

        assertThat(select(Optional.empty(), Map.of())).isEqualTo(withoutFile(Source.ENVIRONMENT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> local(Optional.empty(), Map.of()))
                .withMessageContaining(key);
    }

    @Test
    void select_whenFileIsDanglingLink_usesItAndLooksNoFurther() throws IOException {
        Path link = Files.createSymbolicLink(working.resolve("lock.properties"), working.resolve("nowhere"));

        assertThat(select(Optional.empty(), Map.of("LOCK_PROVIDER", "jdbc")))
                .isEqualTo(file(Source.WORKING_DIRECTORY, link));
    }

    @Test
    void select_whenNothingConfigured_usesLocalStoreByDefault() {
        assertThat(select(Optional.empty(), Map.of())).isEqualTo(withoutFile(Source.DEFAULT));
    }

    @Test
    void select_whenLocalGiven_ignoresFiles() throws IOException {
        createAllFiles();

        assertThat(local(Optional.empty(), Map.of("LOCK_CONFIG", "environment's")))
                .isEqualTo(withoutFile(Source.LOCAL));
    }

    @Test
    void select_whenLocalAndOtherStoreGiven_isRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> local(Optional.of(Path.of("mine")), Map.of()))
                .withMessageContaining("--config");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> local(Optional.empty(), Map.of("LOCK_JDBC_URL", "jdbc:x")))
                .withMessageContaining("LOCK_JDBC_URL");
    }

    private void createAllFiles() throws IOException {
        Files.createFile(working.resolve("lock.properties"));
        Files.createFile(etc.resolve("lock.properties"));
    }

    private StoreConfig select(Optional<Path> option, Map<String, String> environment) {
        return StoreConfig.select(option, false, environment, properties, working, etc.resolve("lock.properties"));
    }

    private StoreConfig local(Optional<Path> option, Map<String, String> environment) {
        return StoreConfig.select(option, true, environment, properties, working, etc.resolve("lock.properties"));
    }

    private static StoreConfig file(Source source, Path file) {
        return new StoreConfig(source, Optional.of(file));
    }

    private static StoreConfig withoutFile(Source source) {
        return new StoreConfig(source, Optional.empty());
    }
}
