package dev.holdfast.lock.spring.boot.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;

/** The database of the application's data source. */
public final class JdbcAddress implements StoreAddress {

    private final Supplier<@Nullable Details> details;

    /** @param details what Boot connects to; null if there is none or there are several */
    public JdbcAddress(Supplier<@Nullable Details> details) {
        this.details = details;
    }

    @Override
    public StoreKind kind() {
        return StoreKind.JDBC;
    }

    /** {@inheritDoc} A database in the memory of this process, which Boot takes by default, excludes no other process. */
    @Override
    public boolean isKnown() {
        try {
            Details found = details.get();
            return found != null
                    && !found.url().contains(":mem:")
                    && !found.url().contains(":memory:");
        } catch (BeanCreationException e) { // there are details, but no URL
            return false;
        }
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        Details found = details.get();
        if (found != null) {
            settings.put(kind().addressKey(), found.url());
            put(settings, "lock.jdbc.username", found.username());
            put(settings, "lock.jdbc.password", found.password());
        }
        return settings;
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
     * @param username null if the URL says it, or none is needed
     * @param password null if the URL says it, or none is needed
     */
    public record Details(
            String url, @Nullable String username, @Nullable String password) {

        @Override
        public String toString() {
            return "database"; // the URL may contain a password
        }
    }
}
