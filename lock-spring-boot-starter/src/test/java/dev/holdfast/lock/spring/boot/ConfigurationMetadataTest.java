package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an editor proposes below {@code holdfast.} is what the stores read. */
class ConfigurationMetadataTest {

    private static final Set<String> STORES = Set.of("redis", "jdbc", "composite", "memory");

    @Test
    void metadata_hasEachKeyOfEachStore_andNothingElse() throws IOException {
        List<String> expected = new ArrayList<>(LockSettingsFactory.OF_STARTER);
        Stream.concat(
                        HoldfastKeys.ofEngine().stream(),
                        ServiceLoader.load(LockProvider.class).stream()
                                .map(ServiceLoader.Provider::get)
                                .filter(provider -> STORES.contains(provider.name()))
                                .flatMap(provider -> provider.keys().stream())
                                .map(ConfigKey::name))
                .map(SpringNames::of)
                .forEach(expected::add);

        assertThat(described()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void knownKeys_areThoseOfTheMetadata() throws IOException {
        List<String> known = new ArrayList<>(LockSettingsFactory.OF_STARTER);
        HoldfastKeys.all().stream().map(SpringNames::of).forEach(known::add);

        assertThat(known).containsExactlyInAnyOrderElementsOf(described());
    }

    private static List<String> described() throws IOException {
        try (InputStream metadata =
                ConfigurationMetadataTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(metadata).as("metadata of the configuration processor").isNotNull();
            String json = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
            String properties = json.substring(json.indexOf("\"properties\""));
            Matcher names =
                    Pattern.compile("\"name\": \"(holdfast\\.[a-z.-]+)\"").matcher(properties);
            List<String> found = new ArrayList<>();
            while (names.find()) {
                found.add(names.group(1));
            }
            return found;
        }
    }
}
