package dev.holdfast.lock.documents;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** Properties of a Spring application. Those of Holdfast's starter are in its metadata; those of Spring Boot are not checked. */
final class SpringProperties {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private SpringProperties() {}

    /** Those that no metadata lists. */
    static List<String> unknown(Properties properties) {
        Set<String> known = known();
        return properties.stringPropertyNames().stream()
                .filter(key -> !key.startsWith("spring.") && !key.startsWith("management.") && !known.contains(key))
                .sorted()
                .toList();
    }

    /** The names that the modules on the class path describe. */
    static Set<String> known() {
        Set<String> names = new TreeSet<>();
        try {
            for (URL metadata :
                    Collections.list(SpringProperties.class.getClassLoader().getResources(METADATA))) {
                try (Reader text = new InputStreamReader(metadata.openStream(), StandardCharsets.UTF_8)) {
                    for (JsonElement each :
                            JsonParser.parseReader(text).getAsJsonObject().getAsJsonArray("properties")) {
                        names.add(each.getAsJsonObject().get("name").getAsString());
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }
}
