package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import java.sql.SQLException;

/** PostgreSQL, by {@code jdbc:postgresql:}. */
public final class PostgreSqlType implements DatabaseType {

    /** For the list of all types. */
    public PostgreSqlType() {}

    @Override
    public String urlForm() {
        return "jdbc:postgresql://<host>/<database>";
    }

    @Override
    public boolean accepts(JdbcUrl url) {
        return url.isPostgreSql();
    }

    @Override
    public boolean isProduct(String productName) {
        return productName.equals("PostgreSQL");
    }

    @Override
    public ErrorClasses errors() {
        return PostgreSqlErrors.INSTANCE;
    }

    @Override
    public Connections open(JdbcUrl url, Settings settings) throws SQLException {
        return PostgreSql.open(
                url,
                settings.username(),
                settings.password(),
                settings.poolSize(),
                settings.maxLifetime(),
                settings.callTimeout(),
                settings.deadline());
    }

    @Override
    public Database database(JdbcUrl url) {
        return new PostgreSql(url);
    }
}
