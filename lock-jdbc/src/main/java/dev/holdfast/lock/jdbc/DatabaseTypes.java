package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.h2.H2Type;
import dev.holdfast.lock.jdbc.mysql.MySqlType;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.postgresql.PostgreSqlType;
import dev.holdfast.lock.jdbc.sqlite.SqliteType;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kinds of databases that can keep locks. */
final class DatabaseTypes {

    private static final List<DatabaseType> ALL =
            List.of(new PostgreSqlType(), new MySqlType(), new H2Type(), new SqliteType());

    private DatabaseTypes() {}

    /** The kind of database behind a URL. */
    static Optional<DatabaseType> of(JdbcUrl url) {
        return ALL.stream().filter(type -> type.accepts(url)).findFirst();
    }

    /** The forms of all URLs, for error messages. */
    static String urlForms() {
        String forms = ALL.stream().map(DatabaseType::urlForm).collect(Collectors.joining(", "));
        int last = forms.lastIndexOf(", ");
        return forms.substring(0, last) + " or " + forms.substring(last + 2);
    }

    /** A kind of database, and the URL behind which it was found. */
    record Found(DatabaseType type, JdbcUrl url) {}

    /** The kind of database behind a connection: by its URL, or else by its product, as wrappers of drivers have their own URLs. */
    static Found find(Connection connection) throws SQLException {
        JdbcUrl url = new JdbcUrl(String.valueOf(connection.getMetaData().getURL()));
        Optional<DatabaseType> byUrl = of(url);
        if (byUrl.isPresent()) {
            return new Found(byUrl.get(), url);
        }
        String product = String.valueOf(connection.getMetaData().getDatabaseProductName());
        return ALL.stream()
                .filter(type -> type.isProduct(product))
                .findFirst()
                .map(type -> new Found(type, url))
                .orElseThrow(() -> new LockConfigurationException(
                        "the data source connects to " + url + " (" + product + "), which is none of " + urlForms()));
    }
}
