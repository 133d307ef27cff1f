package dev.holdfast.lock.jdbc.connection;

import dev.holdfast.lock.spi.Secrets;
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

    /** Whether it is one of PostgreSQL. */
    public boolean isPostgreSql() {
        return value.startsWith("jdbc:postgresql:");
    }

    /** Whether there is a user before the host, whose password may hold slashes and question marks. */
    public boolean namesUser() {
        Matcher parameters = PARAMETERS.matcher(value);
        int end = parameters.find() ? parameters.start() : value.length();
        int start = value.indexOf("//");
        return start >= 0 && start < end && value.lastIndexOf('@', end) > start;
    }

    /** Whether it is one of SQLite. */
    public boolean isSqlite() {
        return value.startsWith(SQLITE);
    }

    /** The file of a SQLite URL; empty if it is none, or more than a plain path. */
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

    /** The text, in which this URL and the secrets of any URL are masked. */
    public String maskIn(String text) {
        return Secrets.masked(text.replace(value, toString()));
    }

    @Override
    public String toString() {
        return Secrets.maskedUrl(value);
    }
}
