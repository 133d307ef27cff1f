package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The search path that a URL names, and one that another client of a pooler has set. */
@Tag("first-build")
class SearchPathOfUrlTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "jdbc:postgresql://host/db | ",
                "jdbc:postgresql://host/db?currentSchema= | ",
                "jdbc:postgresql://host/db?ssl=true&currentSchema=locks | locks",
                "jdbc:postgresql://host/db?currentSchema=%22my%20locks%22,public&ssl=true | \"my locks\",public",
                "jdbc:postgresql://host/db?options=-c%20search_path=a,b | a,b",
                "jdbc:postgresql://host/db?options=-csearch_path=a%20--search-path=b%5C%20c | b c",
                "jdbc:postgresql://host/db?options=-c%20jit=off | ",
                "jdbc:postgresql://host/db?options=-c%20search_path=a&currentSchema=b | b",
            })
    void path_isThatOfTheUrl(String url, String path) {
        assertThat(SearchPath.configuredIn(url)).isEqualTo(Optional.ofNullable(path));
    }

    @Test
    void check_whenAnotherClientOfThePoolerHasSetThePath_refusesUnlessTheUrlNamesIt() throws SQLException {
        Postgres database = Postgres.database();
        database.execute("CREATE SCHEMA locks");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            SearchPath ofUrl = SearchPath.of(new JdbcUrl(database.url()));
            ofUrl.check(connection);
            statement.execute("SET search_path = locks");
            assertThatThrownBy(() -> ofUrl.check(connection))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("another client of a connection pooler has changed the search path to locks");
            SearchPath named = SearchPath.of(new JdbcUrl(database.url() + "?currentSchema=locks"));
            assertThatCode(() -> named.check(connection)).doesNotThrowAnyException();
            statement.execute("SET search_path = ''");
            assertThatThrownBy(() -> SearchPath.ofApplicationsConnections(new JdbcUrl(database.url()), Optional.empty())
                            .check(connection))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("no schema of the search path");
        }
    }

    /** As after a migration by Flyway, in the session that a pooler lends to the next transaction. */
    @Test
    void check_whenAnotherClientOfThePoolerHasSetThePathBack_accepts() throws SQLException {
        Postgres database = Postgres.database();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = pg_catalog");
            statement.execute("SET search_path = \"$user\", public");
            SearchPath ofUrl = SearchPath.of(new JdbcUrl(database.url()));
            assertThatCode(() -> ofUrl.check(connection)).doesNotThrowAnyException();
        }
    }
}
