package dev.holdfast.lock.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.cli.CliProcess;
import dev.holdfast.lock.cli.ExecutableFile;
import dev.holdfast.lock.documents.Document.Block;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shell and SQL blocks of documents work: each is run. */
@Tag("first-build")
class DocumentsIT {

    /** Blocks that are not run, by their first words, with the reason. The shell reads them without running them. */
    private static final Map<String, String> NOT_RUN = Map.of(
            "mvn verify", "it is this build",
            "mvn -q -Dmaven.test.skip install", "it takes minutes and writes into the local Maven repository",
            "unzip -j lock-jdbc-", "unzip and psql are not on every machine; TablesByHandTest runs the scripts",
            "lock run --wait 10s --lease 30s goods:300 -- php", "PHP is not on every machine");

    @TempDir
    Path folder;

    @Test
    void shellBlocks_run() throws Exception {
        ExecutableFile.write(
                folder.resolve("lock"), "#!/bin/sh\nexec " + CliProcess.quoted(CliProcess.java(folder)) + " \"$@\"\n");

        List<Block> blocks = Document.withBlocks().stream()
                .flatMap(document -> document.blocks("sh"))
                .toList();
        assertThat(NOT_RUN.keySet())
                .as("what is not run is in a document")
                .allMatch(
                        begin -> blocks.stream().anyMatch(block -> block.text().startsWith(begin)));
        for (Block block : blocks) {
            boolean isRun = NOT_RUN.keySet().stream().noneMatch(block.text()::startsWith);
            assertThat(shell(isRun ? "-eu" : "-n", block.text()))
                    .as(block.where())
                    .startsWith("0 ");
        }
    }

    @Test
    void sqlBlocks_areExecutedByPostgreSql() throws Exception {
        try (Connection connection = database();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false); // roles belong to the server, and are not left there
            for (Document document : Document.withBlocks()) {
                for (Block block : document.blocks("sql").toList()) {
                    assertThat(failure(statement, block.text()))
                            .as(block.where())
                            .isEmpty();
                }
            }
            connection.rollback();
        }
    }

    @Test
    void brokenBlocks_fail() throws Exception {
        assertThat(shell("-eu", "lock run\n")).doesNotStartWith("0 ");
        assertThat(shell("-n", "if\n")).doesNotStartWith("0 ");
        try (Connection connection = database();
                Statement statement = connection.createStatement()) {
            assertThat(failure(statement, "grant all on missing to public")).contains("missing");
        }
    }

    /** A database with the tables of Holdfast. */
    private static Connection database() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        String url = server.newDatabase();
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "lock.provider",
                "jdbc",
                "lock.jdbc.url",
                url,
                "lock.jdbc.username",
                server.username(),
                "lock.jdbc.password",
                server.password()));
        Locks.open(properties).close();
        return server.connect(url);
    }

    private static String failure(Statement statement, String sql) {
        try {
            statement.execute(sql.replace("?", "null"));
            return "";
        } catch (SQLException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Its exit status, a blank, and what it said. */
    private String shell(String option, String script) throws IOException, InterruptedException {
        Path said = folder.resolve("said");
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", option, "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(said.toFile());
        builder.environment().merge("PATH", folder.toString(), (path, own) -> own + ":" + path);
        // The machine may stand still for many seconds.
        builder.environment().putAll(Map.of("LOCK_LEASE", "10m", "LOCK_CALL_TIMEOUT", "30s"));
        int status = builder.start().waitFor();
        return status + " " + Files.readString(said);
    }
}
