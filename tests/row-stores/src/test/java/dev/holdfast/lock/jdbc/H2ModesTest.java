package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.h2.H2Dialect;
import dev.holdfast.lock.jdbc.h2.H2Type;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.SteppedClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 as tests of applications have it, which run on another database in production. */
@Tag("second-build")
@Timeout(300)
class H2ModesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                "MODE=MariaDB;DATABASE_TO_LOWER=TRUE",
                "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
                "MODE=Oracle",
                "MODE=MSSQLServer",
                "MODE=DB2",
                "MODE=Derby",
                "MODE=HSQLDB",
                "MODE=STRICT",
                "DATABASE_TO_UPPER=FALSE",
                "IGNORECASE=TRUE",
                "LOCK_MODE=0"
            })
    void lock_inEachMode_isQueuedForHandedOverListedAndKept(String mode) throws SQLException {
        H2Database database = new H2Database(H2Database.inMemory().url() + ";" + mode);
        new SteppedClock(database.connect()).close(); // stands still from now on
        Dialect dialect = new H2Dialect(new JdbcUrl(database.url()));
        try (LockStore store = Opened.stepped(new H2Type(), dialect, database.settings())) {
            AcquisitionId first = id();
            AcquisitionId second = id();
            long token = granted(store, acquire("job", first)).token();
            assertThat(ask(store, queue("job", second))).isInstanceOf(LockReply.Queued.class);
            assertThat(ask(store, acquire("Job", id()))).isInstanceOf(LockReply.Granted.class);
            try (Stream<LockInfo> locks = store.list("j", Commands.CALL)) {
                assertThat(locks).singleElement().satisfies(lock -> {
                    assertThat(lock.name().value()).isEqualTo("job");
                    assertThat(lock.waiters()).hasSize(1);
                });
            }
            assertThat(ask(store, release("job", first))).isEqualTo(new LockReply.Released(true));
            assertThat(granted(store, queue("job", second)).token()).isGreaterThan(token);
            assertThat(ask(store, release("job", second, Duration.ofMinutes(1), Commands.LEASE)))
                    .isEqualTo(new LockReply.Released(true));
            assertThat(ask(store, acquire("job", second))).isInstanceOf(LockReply.Gone.class);
            assertThat(ask(store, acquire("job", id()))).isInstanceOf(LockReply.Busy.class);
            assertThat(Diagnosed.errors(store.diagnose(Commands.CALL))).isEmpty();
        }
    }
}
