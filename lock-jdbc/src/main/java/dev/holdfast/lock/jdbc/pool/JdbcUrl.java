package dev.holdfast.lock.jdbc.pool;

import dev.holdfast.lock.spi.support.Redactor;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JDBC URL; printed without its secrets.
 *
 * @param value the URL itself
 */
public record JdbcUrl(String value) {

    private static final String SQLITE = "jdbc:sqlite:";

    private static final Pattern PARAMETERS = Pattern.compile("\\?[\\w.%-]+=");

    /** Whether this is a URL of PostgreSQL. */
    public boolean isPostgreSql() {
        return value.startsWith("jdbc:postgresql:");
    }

    /** Whether a user precedes the host; the password may contain slashes and question marks. */
    public boolean hasUser() {
        Matcher parameters = PARAMETERS.matcher(value);
        int end = parameters.find() ? parameters.start() : value.length();
        int start = value.indexOf("//");
        return start >= 0 && start < end && value.lastIndexOf('@', end) > start;
    }

    /** Whether this is a URL of SQLite. */
    public boolean isSqlite() {
        return value.startsWith(SQLITE);
    }

    /** The file of a SQLite URL; empty for any other URL, and for one that is more than a plain path. */
    public Optional<Path> file() {
        if (!isSqlite()) {
            return Optional.empty();
        }
        String path = value.substring(SQLITE.length());
        if (path.isEmpty() || path.startsWith(":") || path.startsWith("file:") || path.contains("?")) {
            return Optional.empty();
        }
        try {
            return Optional.of(Path.of(path).toAbsolutePath());
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** For messages about an application's data source, whose URL may name every setting of the driver. */
    public JdbcUrl withoutParameters() {
        Matcher parameters = PARAMETERS.matcher(value);
        return parameters.find() ? new JdbcUrl(value.substring(0, parameters.start())) : this;
    }

    /** The text with this URL and the secrets of any URL masked. */
    public String maskIn(String text) {
        return Redactor.redact(text.replace(value, toString()));
    }

    @Override
    public String toString() {
        return Redactor.redactUrl(value);
    }
}
