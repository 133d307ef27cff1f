package dev.holdfast.lock.spring.boot.internal;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** The database of the application's data source. */
public final class JdbcAddress implements StoreAddress {

    private static final String SCHEMA = "spring.datasource.hikari.schema";
    private static final Pattern SCHEMA_OF_URL = Pattern.compile("(?<=[?&])currentSchema=[^&]*&?");

    private final Supplier<@Nullable Details> details;
    private final ListableBeanFactory beans;
    private final Environment environment;

    /** @param details of the database that Boot connects to; null if there is none or there are several */
    public JdbcAddress(Supplier<@Nullable Details> details, ListableBeanFactory beans, Environment environment) {
        this.details = details;
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public StoreKind kind() {
        return StoreKind.JDBC;
    }

    /** {@inheritDoc} A database in the memory of this process, which is Boot's default, excludes no other process. */
    @Override
    public boolean isKnown() {
        Details found = found();
        return found != null && !isInMemory(found.url());
    }

    @Override
    public Optional<String> objection() {
        Details found = found();
        if (found != null) {
            return isInMemory(found.url())
                    ? Optional.of("the database of spring.datasource is in the memory of this process, and so would"
                            + " exclude no other one; for a test set holdfast.provider=memory, or holdfast.jdbc.data-source=shared"
                            + " to keep the locks in it")
                    : Optional.empty();
        }
        List<String> sources = List.of(beans.getBeanNamesForType(DataSource.class, true, false));
        return sources.isEmpty()
                ? Optional.empty()
                : Optional.of("the address of "
                        + (sources.size() == 1 ? "the DataSource bean " : "the DataSource beans ")
                        + String.join(", ", sources) + " is not known to Boot; set holdfast.jdbc.data-source=shared to"
                        + " keep the locks on " + (sources.size() == 1 ? "its" : "the") + " connections"
                        + (sources.size() == 1 ? "" : " of the one with @LocksDataSource, or of the primary one")
                        + ", or holdfast.jdbc.url, .username and .password for connections of their own");
    }

    private static boolean isInMemory(String url) {
        return url.contains(":mem:") || url.contains(":memory:");
    }

    private @Nullable Details found() {
        try {
            return details.get();
        } catch (BeanCreationException e) { // there are details, but no URL
            return null;
        }
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        Details found = details.get();
        if (found != null) {
            settings.put(kind().addressKey(), inSchema(found.url()));
            put(settings, "lock.jdbc.username", found.username());
            put(settings, "lock.jdbc.password", found.password());
        }
        return settings;
    }

    /** The schema that Boot's pool sets on each of its connections, whatever the URL says; MariaDB and MySQL have none. */
    private String inSchema(String url) {
        String schema = environment.getProperty(SCHEMA, "");
        if (schema.isBlank()) {
            return url;
        }
        if (url.startsWith("jdbc:postgresql:")) {
            String others = SCHEMA_OF_URL.matcher(url).replaceAll("");
            String separator = others.contains("?") ? (others.endsWith("?") || others.endsWith("&") ? "" : "&") : "?";
            return others + separator + "currentSchema=" + URLEncoder.encode(schema, StandardCharsets.UTF_8);
        }
        return url.startsWith("jdbc:h2:") ? url + ";SCHEMA=\"" + schema.replace("\"", "\"\"") + "\"" : url;
    }

    private static void put(Map<String, String> settings, String key, @Nullable String value) {
        if (value != null) {
            settings.put(key, value);
        }
    }

    /**
     * A database.
     *
     * @param url of JDBC
     * @param username null if the URL contains it, or none is needed
     * @param password null if the URL contains it, or none is needed
     */
    public record Details(
            String url, @Nullable String username, @Nullable String password) {

        @Override
        public String toString() {
            return "database"; // the URL may contain a password
        }
    }
}
