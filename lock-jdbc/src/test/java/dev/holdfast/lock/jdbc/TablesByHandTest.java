package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.jdbc.sqlite.SqliteDialect;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables created by hand from the scripts in the jar are the same as Flyway's. */
@Tag("first-build")
class TablesByHandTest {

    /** Whatever is in the schema, as one line each; but not Flyway's own history. */
    private static final String POSTGRES_CATALOG = """
            SELECT line FROM (
                SELECT format('relation %s kind %s persistence %s options %s owner %s access %s security %s replica %s',
                    c.relname, c.relkind, c.relpersistence, c.reloptions, pg_get_userbyid(c.relowner), c.relacl,
                    c.relrowsecurity, c.relreplident) AS line, c.relname AS name
                FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
                UNION ALL
                SELECT format('column %s.%s %s %s not null %s default %s collation %s storage %s identity %s options %s',
                    c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                    pg_get_expr(d.adbin, d.adrelid), o.collname, a.attstorage, a.attidentity::text || a.attgenerated::text, a.attoptions),
                    c.relname
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                    LEFT JOIN pg_collation o ON o.oid = a.attcollation
                WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0
                UNION ALL
                SELECT format('constraint %s on %s: %s', n.conname, c.relname, pg_get_constraintdef(n.oid)), c.relname
                FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
                WHERE n.connamespace = current_schema()::regnamespace
                UNION ALL
                SELECT format('index %s', pg_get_indexdef(i.indexrelid)), c.relname
                FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = current_schema()::regnamespace
                UNION ALL
                SELECT format('trigger %s', pg_get_triggerdef(t.oid)), c.relname
                FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = current_schema()::regnamespace
                UNION ALL
                SELECT format('function %s access %s owner %s', pg_get_functiondef(p.oid), p.proacl,
                    pg_get_userbyid(p.proowner)), p.proname
                FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
                UNION ALL
                SELECT format('type %s kind %s', t.typname, t.typtype), ltrim(t.typname, '_')
                FROM pg_type t WHERE t.typnamespace = current_schema()::regnamespace
                UNION ALL
                SELECT format('row of holdfast_token_floor %s %s', singleton, token), 'holdfast_token_floor' FROM holdfast_token_floor
                UNION ALL
                SELECT format('row of holdfast_schema %s', s), 'holdfast_schema' FROM holdfast_schema s
            ) everything
            WHERE name NOT LIKE 'holdfast_history%'
            ORDER BY line
            """;

    private static final String SQLITE_CATALOG = """
            SELECT type || ' ' || name || ' of ' || tbl_name || ': ' || coalesce(sql, '') AS line
            FROM sqlite_master WHERE tbl_name <> 'holdfast_history'
            UNION ALL
            SELECT 'row of holdfast_token_floor ' || singleton || ' ' || token FROM holdfast_token_floor
            UNION ALL
            SELECT 'row of holdfast_schema ' || singleton || ' ' || version || ' ' || oldest_client FROM holdfast_schema
            ORDER BY line
            """;

    @TempDir
    Path directory;

    @Test
    void postgresScripts_inAChosenSchema_createTheSameAsFlyway() throws SQLException {
        Postgres byFlyway = Postgres.database();
        byFlyway.execute("CREATE SCHEMA locks");
        Opened.store(byFlyway.settings("lock.jdbc.url", byFlyway.url() + "?currentSchema=locks"))
                .close();
        Postgres byHand = Postgres.database();
        byHand.execute("CREATE SCHEMA locks");
        runScripts(byHand, "SET search_path = locks");
        List<String> made = catalog(byHand, "locks");
        assertThat(made).isEqualTo(catalog(byFlyway, "locks"));
        assertThat(made).hasSizeGreaterThan(40); // there was something to compare
        assertThat(byFlyway.value("SELECT count(*) FROM locks.holdfast_history"))
                .isNotEqualTo("0");
        assertThat(byHand.value("SELECT to_regclass('locks.holdfast_history')")).isNull();
    }

    @Test
    void postgresScripts_inTheDefaultSchema_createTheSameAsFlyway() throws SQLException {
        Postgres byFlyway = Postgres.database();
        Opened.store(byFlyway.settings()).close();
        Postgres byHand = Postgres.database();
        runScripts(byHand, "SELECT 1");
        assertThat(catalog(byHand, "public"))
                .isEqualTo(catalog(byFlyway, "public"))
                .hasSizeGreaterThan(40);
    }

    /** As psql would: one file after the other. */
    private static void runScripts(Postgres database, String before) throws SQLException {
        SchemaScripts scripts = new PostgreSql().scripts();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(before);
            for (String script : scripts.names()) {
                statement.execute(scripts.text(script));
            }
        }
    }

    private static List<String> catalog(Postgres database, String schema) throws SQLException {
        Connection connection = database.connect();
        connection.setSchema(schema);
        return catalog(connection, POSTGRES_CATALOG);
    }

    @Test
    void sqliteScript_createsTheSameAsFlyway() throws SQLException {
        Path byFlyway = directory.resolve("flyway.db");
        Opened.sqlite(byFlyway).close();
        Path byHand = directory.resolve("hand.db");
        SchemaScripts scripts = new SqliteDialect(new JdbcUrl("jdbc:sqlite:" + byHand)).scripts();
        try (Connection connection = connect(byHand);
                Statement statement = connection.createStatement()) {
            for (String script : scripts.names()) {
                statement.executeUpdate(scripts.text(script));
            }
        }
        List<String> made = catalog(connect(byHand), SQLITE_CATALOG);
        assertThat(made).isEqualTo(catalog(connect(byFlyway), SQLITE_CATALOG));
        assertThat(made).hasSizeGreaterThan(6);
    }

    private static Connection connect(Path file) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }

    private static List<String> catalog(Connection connection, String question) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (connection;
                ResultSet found = connection.createStatement().executeQuery(question)) {
            while (found.next()) {
                lines.add(found.getString(1));
            }
        }
        return lines;
    }
}
