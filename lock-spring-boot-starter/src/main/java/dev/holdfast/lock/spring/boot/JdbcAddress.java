package dev.holdfast.lock.spring.boot;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** The database of the application's data source. */
final class JdbcAddress implements StoreAddress {

    private final ObjectProvider<JdbcConnectionDetails> details;

    JdbcAddress(ObjectProvider<JdbcConnectionDetails> details) {
        this.details = details;
    }

    @Override
    public StoreKind kind() {
        return StoreKind.JDBC;
    }

    /** {@inheritDoc} A database in the memory of this process, which Boot takes by default, excludes no other process. */
    @Override
    public boolean isKnown() {
        JdbcConnectionDetails found = details.getIfUnique();
        if (found == null) {
            return false;
        }
        try {
            String url = found.getJdbcUrl();
            return !url.contains(":mem:") && !url.contains(":memory:");
        } catch (BeanCreationException e) { // there are details, but no URL
            return false;
        }
    }

    @Override
    public Map<String, String> settings() {
        JdbcConnectionDetails found = details.getObject();
        Map<String, String> settings = new LinkedHashMap<>();
        put(settings, kind().addressKey(), found.getJdbcUrl());
        put(settings, "lock.jdbc.username", found.getUsername());
        put(settings, "lock.jdbc.password", found.getPassword());
        return settings;
    }

    private static void put(Map<String, String> settings, String key, @Nullable String value) {
        if (value != null) {
            settings.put(key, value);
        }
    }
}
