package dev.holdfast.lock.jdbc.h2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** H2 alone: what its file has after a commit is what a killed server would find. */
@Tag("second-build")
class H2CommitsTest {

    /** Without a retention time the second commit already fills a gap of the file. */
    private static final String SETTINGS = ";WRITE_DELAY=0;RETENTION_TIME=0";

    private static final int COMMITS = 20;

    @TempDir
    private Path directory;

    @Test
    void commit_withoutWriteDelay_isInTheFile() throws Exception {
        try (Connection connection = open("db" + SETTINGS);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT)");
            statement.execute("INSERT INTO t VALUES (1, 0)");
            for (int n = 1; n <= COMMITS; n++) {
                statement.execute("UPDATE t SET n = " + n + " WHERE id = 1");

                Files.copy(file("db"), file("copy"), StandardCopyOption.REPLACE_EXISTING);
                assertThat(readCopy()).hasValue(n);
            }
        }
    }

    private OptionalInt readCopy() throws SQLException {
        try (Connection copy = open("copy");
                Statement statement = copy.createStatement();
                ResultSet row = statement.executeQuery("SELECT n FROM t WHERE id = 1")) {
            return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
        }
    }

    private Path file(String name) {
        return directory.resolve(name + ".mv.db");
    }

    private Connection open(String database) throws SQLException {
        return DriverManager.getConnection("jdbc:h2:file:" + directory.toAbsolutePath() + "/" + database, "sa", "");
    }
}
