package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.acquireAbove;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static dev.holdfast.lock.jdbc.authority.Authority.AUTHORITY_LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first authority state: created once, above every known token, and only while no lock is in use. */
@Tag("first-build")
class InitializationTest {

    private final Postgres database = Postgres.withTables();

    @Test
    void initialize_createsTheStateOnceAndThenReturnsIt() throws SQLException {
        try (Authority authority = Authority.on(database)) {
            assertThat(authority.store().peek(CALL)).isEmpty();
            long clock =
                    micros(Instant.parse(database.value("SELECT to_json(now() AT TIME ZONE 'UTC')#>>'{}' || 'Z'")));

            AuthorityState state = authority.found();

            assertThat(state.epoch()).isEqualTo(1);
            assertThat(state.phase()).isEqualTo(FailoverPhase.FALLBACK);
            assertThat(state.replicationId()).isEmpty();
            assertThat(state.lease()).isEqualTo(AUTHORITY_LEASE);
            assertThat(state.tokenBase()).isGreaterThanOrEqualTo(clock);
            assertThat(state.failureCount()).isZero();
            assertThat(state.cause()).isEqualTo("initialized");
            assertThat(micros(state.since())).isGreaterThanOrEqualTo(clock);
            assertThat(authority.store().initialize(Duration.ofSeconds(3), state.tokenBase() * 2, CALL))
                    .as("as it was founded, whatever is asked for")
                    .isEqualTo(state);
            assertThat(authority.store().peek(CALL).orElseThrow().members()).isZero();
        }
    }

    @Test
    void initialize_setsTheTokenBaseAboveEveryKnownToken() throws SQLException {
        long given = 1L << 51;
        long granted = 3L << 51;
        try (LockStore plain = Opened.store("app", database.settings());
                Authority authority = Authority.on(database)) {
            AcquisitionId id = id();
            long token = granted(plain, acquireAbove("a", id, granted)).token();
            plain.execute(List.of(release("a", id)), CALL);
            assertThat(authority.store().highestToken(CALL)).isEqualTo(token);
            assertThat(authority
                            .store()
                            .initialize(AUTHORITY_LEASE, given, CALL)
                            .tokenBase())
                    .isEqualTo(token);
        }
        try (Authority other = Authority.on(Postgres.withTables())) {
            assertThat(other.store().initialize(AUTHORITY_LEASE, granted, CALL).tokenBase())
                    .isEqualTo(granted);
        }
    }

    @Test
    void initialize_whenLocksAreInUse_isRefused() {
        database.stopClock(); // the waiter keeps its place
        try (LockStore plain = Opened.store("app", database.settings());
                LockStore other = Opened.store("other", database.settings());
                Authority authority = Authority.on(database)) {
            granted(other, acquire("a", id()));
            AcquisitionId holder = id();
            granted(plain, acquire("a", holder));
            refused(authority);
            AcquisitionId waiter = id();
            waiting(plain, queue("a", waiter));
            plain.execute(List.of(release("a", holder)), CALL);
            refused(authority);
            plain.execute(List.of(release("a", waiter)), CALL);
            AcquisitionId kept = id();
            granted(plain, acquire("b", kept));
            plain.execute(List.of(release("b", kept, Duration.ofHours(1), Duration.ZERO)), CALL);
            refused(authority);
        }
    }

    private static void refused(Authority authority) {
        assertThatThrownBy(authority::found)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("app")
                .hasMessageContaining("lock.provider=jdbc");
        assertThat(authority.store().peek(CALL)).isEmpty();
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }
}
