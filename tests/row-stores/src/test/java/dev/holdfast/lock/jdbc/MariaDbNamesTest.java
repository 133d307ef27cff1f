package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names that a collation takes for the same are locks of their own, in databases with whatever defaults. */
@Tag("second-build")
@Timeout(300)
class MariaDbNamesTest {

    /** Equal to an earlier one, each, by some collation, in the order of their code points. */
    private static final List<String> NAMES =
            List.of(" job", "JOB", "Job", "job", "job ", "job  ", "jöb", "\uFF4Aob", "\uD83D\uDD12", "\uD83D\uDD13");

    private static final String OWNER = "Grüße, \uD83D\uDD12 ";

    /** A collation that pads names with blanks, and others; the one that doesn't pad is another in MariaDB than in MySQL. */
    static Stream<String> defaults() {
        return Stream.of(
                "utf8mb4 COLLATE utf8mb4_general_ci",
                "utf8mb4 COLLATE utf8mb4_bin",
                "utf8mb4 COLLATE "
                        + (MariaDbServer.shared().isMariaDb() ? "utf8mb4_unicode_nopad_ci" : "utf8mb4_0900_ai_ci"),
                "latin1");
    }

    @ParameterizedTest
    @MethodSource("defaults")
    void names_whateverTheDefaultsOfTheDatabase_areLocksOfTheirOwn(String defaults) throws SQLException {
        MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        database.execute("ALTER DATABASE CHARACTER SET " + defaults);
        try (LockStore store = Opened.store(database.settings())) {
            Map<String, AcquisitionId> ids = new LinkedHashMap<>();
            for (String name : NAMES) {
                ids.put(name, id());
                granted(store, acquire(name, ids.get(name)));
            }
            for (String name : NAMES) {
                assertThat(ask(store, acquire(name, id()))).isInstanceOf(LockReply.Busy.class);
            }
            try (Stream<LockInfo> locks = store.list("", Commands.CALL)) {
                assertThat(locks)
                        .allMatch(lock -> lock.holder().orElseThrow().owner().equals(OWNER))
                        .extracting(lock -> lock.name().value())
                        .containsExactlyElementsOf(NAMES);
            }
            for (String name : NAMES) {
                assertThat(ask(store, release(name, ids.get(name)))).isEqualTo(new LockReply.Released(true));
            }
        }
    }

    private static LockCommand.Acquire acquire(String name, AcquisitionId id) {
        return new LockCommand.Acquire(new LockName(name), id, Commands.LEASE, false, 0, OWNER);
    }
}
