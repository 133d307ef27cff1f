package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.h2.H2Dialect;
import dev.holdfast.lock.jdbc.mysql.MySqlDialect;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.row.RowLockDatabase;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.jdbc.schema.SchemaScripts.Script;
import dev.holdfast.lock.jdbc.sqlite.SqliteDialect;
import dev.holdfast.lock.spi.LockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A database that Holdfast opens with the scripts of its own version, which is the first here, and of two later ones, which are
 * made up: the second adds a table and a column and changes all functions; the third is for clients from the second on.
 *
 * @param type its kind
 * @param opening makes the database of a store with these scripts
 * @param settings how it is opened
 */
record VersionedDatabase(
        DatabaseType type,
        Function<SchemaScripts, Database> opening,
        SchemaScripts first,
        Map<String, String> settings) {

    static final String ADD_TABLE =
            "CREATE TABLE IF NOT EXISTS holdfast_made_up (singleton INTEGER NOT NULL PRIMARY KEY);\n";

    /** The one behind these settings. */
    static VersionedDatabase of(Map<String, String> settings) {
        JdbcUrl url = new JdbcUrl(settings.get("lock.jdbc.url"));
        DatabaseType type = DatabaseTypes.of(url).orElseThrow();
        if (url.isPostgreSql()) {
            return new VersionedDatabase(type, PostgreSql::new, new PostgreSql().scripts(), settings);
        }
        Dialect dialect = url.value().startsWith("jdbc:sqlite:")
                ? new SqliteDialect(url)
                : url.value().startsWith("jdbc:h2:") ? new H2Dialect(url) : new MySqlDialect(true);
        return new VersionedDatabase(
                type, scripts -> new RowLockDatabase(with(scripts, dialect), url), dialect.scripts(), settings);
    }

    private static Dialect with(SchemaScripts scripts, Dialect dialect) {
        return (Dialect) Proxy.newProxyInstance(
                VersionedDatabase.class.getClassLoader(),
                new Class<?>[] {Dialect.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("scripts")) {
                        return scripts;
                    }
                    try {
                        return method.invoke(dialect, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    SchemaScripts second() {
        return second(ADD_TABLE);
    }

    /** The second version, whose script begins with these statements. */
    SchemaScripts second(String statements) {
        return following(first, statements + addColumn(settings.get("lock.jdbc.url")), "");
    }

    /** Does no harm where the column is there; on SQLite, where a script is one transaction, it never is. None on H2. */
    private static String addColumn(String url) {
        String add = "ALTER TABLE holdfast_lock ADD COLUMN made_up INTEGER";
        if (url.startsWith("jdbc:h2:")) {
            return ""; // H2 loses what is committed while it alters a table
        } else if (url.startsWith("jdbc:sqlite:")) {
            return add + ";\n";
        } else if (url.startsWith("jdbc:mariadb:")) { // on MySQL as well, which knows no IF NOT EXISTS here
            return "SET @change = IF((SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE()"
                    + " AND table_name = 'holdfast_lock' AND column_name = 'made_up') = 0, '" + add + "', 'DO 0');\n"
                    + "PREPARE to_change FROM @change;\nEXECUTE to_change;\nDEALLOCATE PREPARE to_change;\n";
        }
        return add.replace("COLUMN", "COLUMN IF NOT EXISTS") + ";\n";
    }

    SchemaScripts third() {
        return following(second(), "", ", oldest_client = " + second().version());
    }

    private static SchemaScripts following(SchemaScripts before, String statements, String assignment) {
        int version = before.version() + 1;
        List<Script> migrations = new ArrayList<>(before.migrations());
        migrations.add(new Script(
                "V" + version + "__made_up.sql",
                statements + "UPDATE holdfast_schema SET version = " + version + assignment + " WHERE version < "
                        + version + ";\n"));
        return new SchemaScripts(
                before.folder(),
                migrations,
                before.functions().map(script -> corrected(script, "version " + version, version)));
    }

    /** These scripts with a comment in each function. */
    static SchemaScripts corrected(SchemaScripts scripts, String comment) {
        return new SchemaScripts(
                scripts.folder(),
                scripts.migrations(),
                scripts.functions().map(script -> corrected(script, comment, scripts.version())));
    }

    private static Script corrected(Script functions, String comment, int version) {
        return new Script(
                functions.name(),
                functions
                        .text()
                        .replaceFirst(
                                "version  CONSTANT integer := [0-9]+;", "version  CONSTANT integer := " + version + ";")
                        .replaceAll("AS \\$\\$\n(DECLARE|BEGIN)", "AS \\$\\$\n-- " + comment + "\n$1"));
    }

    /** A store with these scripts, which are run if the tables lack them. */
    LockStore store(SchemaScripts scripts) {
        return Opened.store(type, opening.apply(scripts), settings, Optional.empty());
    }

    /** A store with these scripts, for which the tables have to be there. */
    LockStore storeWithoutMigration(SchemaScripts scripts) {
        return Opened.store(type, opening.apply(scripts), settings, Optional.of("lock.jdbc.migrate is false"));
    }
}
