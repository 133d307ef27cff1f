package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Beside an application's own Flyway in the same schema: neither affects the other. */
@Tag("second-build")
class ApplicationsFlywayTest {

    private static final String FIRST = "classpath:application/migrations";
    private static final String LATER = "classpath:application/later";

    @TempDir
    Path directory;

    private enum Kind {
        POSTGRES,
        SQLITE
    }

    @ParameterizedTest
    @EnumSource
    void migrations_ofApplicationAndStore_doNotAffectEachOther(Kind kind) throws SQLException {
        try (HikariDataSource source = source(kind)) {
            Flyway before = application(source, FIRST);
            before.migrate();
            List<String> history = history(source, "flyway_schema_history");

            holdOnce(() -> Opened.on(source));

            assertThat(history(source, "flyway_schema_history")).isEqualTo(history);
            assertThat(states(before)).containsExactly("1 SUCCESS");
            before.validate();
            assertThat(before.migrate().migrationsExecuted).isZero();

            Flyway after = application(source, FIRST, LATER);
            assertThat(after.migrate().migrationsExecuted).isEqualTo(2);
            after.validate();
            assertThat(states(after)).containsExactly("1 SUCCESS", "2 SUCCESS", "null SUCCESS");
            List<String> ours = history(source, "holdfast_history");
            assertThatThrownBy(after::clean).isInstanceOf(FlywayException.class).hasMessageContaining("cleanDisabled");

            holdOnce(() -> Opened.on(source));

            assertThat(history(source, "holdfast_history")).isEqualTo(ours);
            after.validate();
            assertThat(after.migrate().migrationsExecuted).isZero();
        }
    }

    /** An application that begins with a Flyway when Holdfast's tables are there already has to say so to its Flyway. */
    @ParameterizedTest
    @EnumSource
    void applicationsMigration_whenTablesExist_needsABaseline(Kind kind) throws SQLException {
        try (HikariDataSource source = source(kind)) {
            holdOnce(() -> Opened.on(source));
            assertThatThrownBy(application(source, FIRST)::migrate)
                    .isInstanceOf(FlywayException.class)
                    .hasMessageContaining("baseline");
            Flyway baselined = Flyway.configure()
                    .dataSource(source)
                    .locations(FIRST, LATER)
                    .baselineOnMigrate(true)
                    .baselineVersion("0")
                    .load();
            assertThat(baselined.migrate().migrationsExecuted).isEqualTo(3);
            baselined.validate();
            holdOnce(() -> Opened.on(source));
            baselined.validate();
        }
    }

    private static void holdOnce(Supplier<LockStore> opening) {
        try (LockStore store = opening.get()) {
            granted(store, acquire("beside " + id(), id()));
        }
    }

    private static Flyway application(DataSource source, String... locations) {
        return Flyway.configure()
                .dataSource(source)
                .locations(locations)
                .validateOnMigrate(true)
                .load();
    }

    private static List<String> states(Flyway flyway) {
        return Stream.of(flyway.info().all())
                .map(each -> each.getVersion() + " " + each.getState())
                .toList();
    }

    /** Each row in full, with times and checksums. */
    private static List<String> history(DataSource source, String table) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = source.getConnection();
                ResultSet found = connection.createStatement().executeQuery("SELECT * FROM " + table)) {
            while (found.next()) {
                Object[] row = new Object[found.getMetaData().getColumnCount()];
                for (int column = 0; column < row.length; column++) {
                    row[column] = found.getString(column + 1);
                }
                rows.add(Arrays.toString(row));
            }
        }
        return rows;
    }

    /** The application's pool. */
    private HikariDataSource source(Kind kind) {
        HikariConfig config = kind == Kind.SQLITE
                ? ApplicationPool.of(Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("application.db")))
                : ApplicationPool.of(Postgres.database());
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }
}
