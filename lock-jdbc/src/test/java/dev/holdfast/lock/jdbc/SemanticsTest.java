package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.acquireAbove;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The effect of each command. The same on each database. */
abstract class SemanticsTest {

    static final LockReply GONE = new LockReply.Gone();
    static final LockReply NOT_HELD = new LockReply.Released(false);
    static final LockReply WAS_HELD = new LockReply.Released(true);
    private static final Duration HOUR = Duration.ofHours(1);

    abstract LockStore store();

    abstract Connection connection() throws SQLException;

    /** Commands the clock of the database, which stands still otherwise. */
    abstract void pass(Duration time);

    /** What that clock shows. */
    abstract Instant now();

    /** A name, to be compared with a column. */
    String literal(String name) {
        return "'" + name + "'";
    }

    @Test
    void acquire_ofFreeLock_grantsWithTheClockAsToken() {
        LockReply.Granted grant = granted(store(), acquire("first", id()));
        assertThat(grant.token()).isEqualTo(micros(now()));
        assertThat(grant.remaining()).isEqualTo(LEASE);
    }

    @Test
    void acquire_whenRepeatedByTheHolder_grantsTheRemainingTime() throws SQLException {
        AcquisitionId id = id();
        LockReply.Granted first = granted(store(), acquire("again", id));
        pass(Duration.ofSeconds(10));
        LockReply.Granted second = granted(store(), acquire("again", id));
        assertThat(second.token()).isEqualTo(first.token());
        assertThat(second.remaining()).isEqualTo(LEASE.minusSeconds(10));
    }

    @Test
    void acquire_whenHeldByAnother_isBusy() {
        granted(store(), acquire("busy", id()));
        assertThat(ask(store(), acquire("busy", id())))
                .isInstanceOfSatisfying(
                        LockReply.Busy.class,
                        busy -> assertThat(busy.retryAfter()).isBetween(Duration.ofMillis(1), Duration.ofMillis(50)));
    }

    @Test
    void token_risesAcrossReleaseExpiryAndAClockSetBack() throws SQLException {
        List<Long> tokens = new ArrayList<>();
        AcquisitionId first = id();
        tokens.add(granted(store(), acquire("rising", first)).token());
        ask(store(), release("rising", first));
        tokens.add(granted(store(), acquire("rising", id())).token());
        pass(LEASE.plusSeconds(1));
        tokens.add(granted(store(), acquire("rising", id())).token());
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "UPDATE holdfast_lock SET token = token + 3600000000 WHERE name = " + literal("rising"));
        }
        pass(LEASE.plusSeconds(1));
        long stored = tokens.get(2) + 3_600_000_000L;
        tokens.add(granted(store(), acquire("rising", id())).token());
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(tokens.get(3)).isEqualTo(stored + 1);
    }

    @Test
    void token_isAboveTheRequestedTokenFloor() {
        long above = 3_000_000_000_000_000L;
        assertThat(granted(store(), acquireAbove("above", id(), above)).token()).isEqualTo(above + 1);
    }

    @Test
    void acquire_whenNoTokenIsLeft_isUnavailable() {
        long last = LockReply.Granted.MAX_TOKEN;
        assertThat(granted(store(), acquireAbove("end", id(), last - 1)).token())
                .isEqualTo(last);
        for (long above : new long[] {last, Long.MAX_VALUE}) {
            assertThat(ask(store(), acquireAbove("beyond", id(), above)))
                    .isInstanceOfSatisfying(
                            LockReply.Unavailable.class,
                            no -> assertThat(no.cause()).hasMessageContaining("2^53"));
        }
    }

    @Test
    void renew_extendsTheLeaseAndKeepsTheToken() throws SQLException {
        AcquisitionId id = id();
        LockReply.Granted grant = granted(store(), acquire("renewed", id, HOUR));
        pass(HOUR.minusMinutes(1));
        assertThat(ask(store(), renew("renewed", id, HOUR))).isEqualTo(new LockReply.Granted(grant.token(), HOUR));
        pass(HOUR.minusMinutes(1));
        assertThat(ask(store(), acquire("renewed", id()))).isInstanceOf(LockReply.Busy.class);
    }

    @Test
    void lease_afterExpiry_isGoneForGood() throws SQLException {
        AcquisitionId id = id();
        granted(store(), acquire("over", id));
        pass(LEASE.plusSeconds(1));
        assertThat(ask(store(), renew("over", id, LEASE))).isEqualTo(GONE);
        assertThat(ask(store(), acquire("over", id))).isEqualTo(GONE);
        assertThat(ask(store(), release("over", id))).isEqualTo(NOT_HELD);
        AcquisitionId next = id();
        granted(store(), acquire("over", next));
        ask(store(), release("over", next));
        assertThat(ask(store(), acquire("over", id)))
                .as("the expired id, after a grant to another")
                .isEqualTo(GONE);
    }

    @Test
    void commands_withAnotherId_changeNothing() {
        AcquisitionId id = id();
        granted(store(), acquire("mine", id));
        assertThat(ask(store(), renew("mine", id(), LEASE))).isEqualTo(GONE);
        assertThat(ask(store(), release("mine", id()))).isEqualTo(NOT_HELD);
        assertThat(ask(store(), release("mine", id))).isEqualTo(WAS_HELD);
        assertThat(ask(store(), release("mine", id))).isEqualTo(NOT_HELD);
    }

    @Test
    void minimumHold_afterRelease_excludesItsOwnIdToo() throws SQLException {
        AcquisitionId id = id();
        granted(store(), acquire("kept", id));
        assertThat(ask(store(), release("kept", id, HOUR, Duration.ZERO))).isEqualTo(WAS_HELD);
        assertThat(ask(store(), acquire("kept", id()))).isInstanceOf(LockReply.Busy.class);
        assertThat(ask(store(), acquire("kept", id))).isEqualTo(GONE);
        assertThat(ask(store(), renew("kept", id, LEASE))).isEqualTo(GONE);
        assertThat(ask(store(), release("kept", id))).isEqualTo(NOT_HELD);
        pass(HOUR.minusMinutes(1));
        assertThat(ask(store(), acquire("kept", id()))).isInstanceOf(LockReply.Busy.class);
        pass(Duration.ofMinutes(2));
        granted(store(), acquire("kept", id()));
    }

    @Test
    void release_whenMinimumHoldIsOver_freesTheLock() throws SQLException {
        AcquisitionId id = id();
        granted(store(), acquire("kept long enough", id));
        pass(Duration.ofSeconds(10));
        assertThat(ask(store(), release("kept long enough", id, Duration.ofSeconds(9), Duration.ZERO)))
                .isEqualTo(WAS_HELD);
        granted(store(), acquire("kept long enough", id()));
    }

    @Test
    void release_whenItPrecedesItsAcquire_preventsTheGrant() throws SQLException {
        AcquisitionId id = id();
        assertThat(ask(store(), release("doubtful", id, Duration.ZERO, LEASE))).isEqualTo(NOT_HELD);
        assertThat(ask(store(), acquire("doubtful", id))).isEqualTo(GONE);
        granted(store(), acquire("doubtful", id()));
        assertThat(ask(store(), acquire("doubtful", id)))
                .as("while another holds it")
                .isEqualTo(GONE);
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
