package dev.holdfast.lock.jdbc.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes sell a stock of 20 under one lock. One is paused while it holds the lock until its lease has expired and
 * others have sold; then it continues with the stock that it had read.
 */
@Tag("first-build")
class FencedTableTest {

    private static final int STOCK = 20;
    private static final int STOP_AT = 18;

    private final PostgresServer server = PostgresServer.shared();
    private final List<Process> sellers = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void endSellers() {
        sellers.forEach(Process::destroyForcibly);
    }

    @Test
    @Timeout(300)
    void process_whenPausedBeyondItsLease_isFencedOff() throws Exception {
        String shop = server.newDatabase();
        try (Connection connection = server.connect(shop);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE item (id bigint PRIMARY KEY, stock integer NOT NULL, fence bigint NOT NULL)");
            statement.execute("CREATE TABLE sale (piece integer NOT NULL, fence bigint NOT NULL)");
            statement.execute("INSERT INTO item VALUES (1, " + STOCK + ", 0)");

            Process slow = seller(shop, STOP_AT);
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(slow.getInputStream(), StandardCharsets.UTF_8));
            assertThat(said.readLine())
                    .as(() -> "what the first seller says, which logged: " + errors(0))
                    .isEqualTo(Seller.INSIDE);
            Signals.send("STOP", slow.toHandle());
            int soldBefore = sold(statement);
            statement.execute("UPDATE holdfast_lock SET expires_at = clock_timestamp() - interval '1 second'");
            for (int i = 0; i < 2; i++) {
                seller(shop, 0);
            }
            Await.until("another has sold", () -> {
                boolean isAlive = sellers.get(1).isAlive();
                boolean hasSold = sold(statement) > soldBefore;
                assertThat(isAlive || hasSold).isTrue();
                return hasSold;
            });
            Signals.send("CONT", slow.toHandle());
            try (Writer goOn = slow.outputWriter(StandardCharsets.UTF_8)) {
                goOn.write('\n');
            }

            assertThat(said.lines().toList())
                    .as("the update of the one that was stopped")
                    .containsExactly(Seller.REFUSED);
            for (int i = 0; i < sellers.size(); i++) {
                assertThat(sellers.get(i).waitFor()).as(errors(i)).isZero();
            }
            assertThat(pieces(statement))
                    .as("the pieces that were sold")
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, STOCK).boxed().toList());
        }
    }

    private Process seller(String shop, int waitAt) throws IOException {
        Properties locks = new Properties();
        locks.setProperty("lock.provider", "jdbc");
        locks.setProperty("lock.jdbc.url", shop);
        locks.setProperty("lock.jdbc.username", server.username());
        locks.setProperty("lock.jdbc.password", server.password());
        locks.setProperty("lock.jdbc.pool-size", "2");
        locks.setProperty("lock.lease", "10m");
        locks.setProperty("lock.call-timeout", "1m");
        Path file = directory.resolve("lock-" + sellers.size() + ".properties");
        try (Writer to = Files.newBufferedWriter(file)) {
            locks.store(to, null);
        }
        List<String> arguments =
                List.of(file.toString(), shop, server.username(), server.password(), Integer.toString(waitAt));
        Process seller = new ProcessBuilder(JavaCommand.of(Seller.class, directory, arguments))
                .redirectError(fileOfErrors(sellers.size()).toFile())
                .start();
        sellers.add(seller);
        return seller;
    }

    private Path fileOfErrors(int seller) {
        return directory.resolve("errors-" + seller);
    }

    private String errors(int seller) {
        try {
            return Files.readString(fileOfErrors(seller));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int sold(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT count(*) FROM sale")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static List<Integer> pieces(Statement statement) throws SQLException {
        List<Integer> pieces = new ArrayList<>();
        try (ResultSet row = statement.executeQuery("SELECT piece FROM sale ORDER BY piece")) {
            while (row.next()) {
                pieces.add(row.getInt(1));
            }
        }
        return pieces;
    }
}
