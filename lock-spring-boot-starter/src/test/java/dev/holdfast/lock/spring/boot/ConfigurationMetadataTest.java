package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An editor proposes below {@code holdfast.} what the engine and the stores read: the metadata is made of their keys. */
@Tag("second-build")
class ConfigurationMetadataTest {

    private static final Path ACCEPTED =
            Path.of("src/main/resources/META-INF/additional-spring-configuration-metadata.json");
    private static final Path ACTUAL = Path.of("target/additional-spring-configuration-metadata.json");

    private static final Set<String> STORES = Set.of("redis", "jdbc", "composite");

    private static final String OF_DATASOURCE = "that of spring.datasource, unless the URL is set here";
    private static final String OF_REDIS = "that of spring.data.redis, unless the URI is set here";

    /** The defaults that differ in an application of Spring Boot. */
    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("lock.provider", "redis or jdbc if exactly one of them has an address"),
            Map.entry("lock.namespace", "spring.application.name, else \\\"default\\\""),
            Map.entry("lock.application", "spring.application.name"),
            Map.entry("lock.jdbc.url", "that of spring.datasource"),
            Map.entry("lock.jdbc.username", OF_DATASOURCE),
            Map.entry("lock.jdbc.password", OF_DATASOURCE),
            Map.entry("lock.redis.uri", "made of spring.data.redis"),
            Map.entry("lock.redis.username", OF_REDIS),
            Map.entry("lock.redis.password", OF_REDIS),
            Map.entry("lock.redis.ssl-bundle", OF_REDIS));

    @Test
    void metadata_isThatOfTheKeys() throws IOException {
        String metadata = "{\n  \"properties\": [\n"
                + HoldfastKeys.with(stores()).values().stream()
                        .map(ConfigurationMetadataTest::described)
                        .collect(Collectors.joining(",\n"))
                + "\n  ]\n}\n";
        Files.writeString(ACTUAL, metadata);

        assertThat(Files.readString(ACCEPTED))
                .as(
                        "the keys have changed. If that is meant:%n  cp %s %s",
                        ACTUAL.toAbsolutePath(), ACCEPTED.toAbsolutePath())
                .isEqualTo(metadata);
    }

    @Test
    void metadata_besidesTheKeys_hasThePropertiesOfTheStarter() throws IOException {
        List<String> expected = new ArrayList<>(LockSettingsFactory.OF_STARTER);
        HoldfastKeys.with(stores()).keySet().stream().map(SpringNames::of).forEach(expected::add);

        assertThat(inTheJar()).containsExactlyInAnyOrderElementsOf(expected);
    }

    /** The names in the metadata that the configuration processor makes of the file and of the properties of the starter. */
    private static List<String> inTheJar() throws IOException {
        try (InputStream metadata =
                ConfigurationMetadataTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(metadata).as("metadata of the configuration processor").isNotNull();
            String json = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
            return Pattern.compile("\"name\": \"(holdfast\\.[a-z.-]+)\"")
                    .matcher(json.substring(json.indexOf("\"properties\"")))
                    .results()
                    .map(name -> name.group(1))
                    .toList();
        }
    }

    private static List<LockProvider> stores() {
        return ServiceLoader.load(LockProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> STORES.contains(provider.name()))
                .toList();
    }

    private static String described(ConfigKey<?> key) {
        return "    {%n      \"name\": \"%s\",%n      \"type\": \"%s\",%n      \"description\": \"%s. Default is %s.\"%n    }"
                .formatted(
                        SpringNames.of(key.name()),
                        key.type().getName(),
                        key.description().substring(0, 1).toUpperCase(Locale.ROOT)
                                + key.description().substring(1),
                        SpringNames.inWords(DEFAULTS.getOrDefault(key.name(), key.defaultText())));
    }
}
