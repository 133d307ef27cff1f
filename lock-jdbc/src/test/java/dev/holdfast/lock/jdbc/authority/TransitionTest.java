package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.authority.Authority.AUTHORITY_LEASE;
import static dev.holdfast.lock.jdbc.authority.Authority.REPLICATION_ID;
import static dev.holdfast.lock.jdbc.authority.Authority.carried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transitions of the authority state, and tokens that rise through all of them. */
@Tag("first-build")
class TransitionTest {

    private final Postgres database = Postgres.withTables();

    @Test
    void transition_fromAnotherState_changesNothing() {
        try (Authority authority = Authority.founded(database)) {
            AuthorityState founded = authority.state();
            onlyAllowed(authority, new Transition.BeginFailback(1, REPLICATION_ID));
            AuthorityState prepare = authority.state();
            assertThat(prepare.epoch()).isEqualTo(2);
            assertThat(prepare.phase()).isEqualTo(FailoverPhase.FAILING_BACK);
            assertThat(prepare.replicationId()).isEqualTo(REPLICATION_ID);
            assertThat(prepare.since()).isAfter(founded.since());

            onlyAllowed(authority, new Transition.AbortFailback(2, "aborted"));
            AuthorityState aborted = authority.state();
            assertThat(aborted.epoch()).isEqualTo(3);
            assertThat(aborted.phase()).isEqualTo(FailoverPhase.FALLBACK);
            assertThat(aborted.replicationId()).isEmpty();
            assertThat(aborted.cause()).isEqualTo("aborted");

            onlyAllowed(authority, new Transition.BeginFailback(3, REPLICATION_ID));
            onlyAllowed(authority, new Transition.ActivatePrimary(4));
            AuthorityState primary = authority.state();
            assertThat(primary.epoch()).isEqualTo(4);
            assertThat(primary.phase()).isEqualTo(FailoverPhase.PRIMARY);
            assertThat(primary.replicationId()).isEqualTo(REPLICATION_ID);
            assertThat(primary.failureCount()).isZero();

            onlyAllowed(authority, new Transition.DrainPrimary(4, "for the test"));
            AuthorityState drain = authority.state();
            assertThat(drain.epoch()).isEqualTo(5);
            assertThat(drain.phase()).isEqualTo(FailoverPhase.DRAINING);
            assertThat(drain.replicationId()).isEmpty();
            assertThat(drain.tokenBase()).isEqualTo(primary.tokenBase() + AuthorityState.TOKENS_PER_EPOCH);
            assertThat(drain.failureCount()).isEqualTo(1);
            assertThat(drain.cause()).isEqualTo("for the test");

            onlyAllowed(authority, new Transition.ActivateFallback(5));
            AuthorityState fallback = authority.state();
            assertThat(fallback.epoch()).isEqualTo(5);
            assertThat(fallback.phase()).isEqualTo(FailoverPhase.FALLBACK);
            assertThat(fallback.tokenBase()).isEqualTo(drain.tokenBase());
            assertThat(fallback.cause()).isEqualTo("for the test");
        }
    }

    /** Tries every other change first, of every epoch around. */
    private static void onlyAllowed(Authority authority, Transition allowed) {
        AuthorityState before = authority.state();
        Stream.of(before.epoch() - 1, before.epoch(), before.epoch() + 1)
                .flatMap(epoch -> Stream.of(
                        new Transition.DrainPrimary(epoch, "no"),
                        new Transition.ActivateFallback(epoch),
                        new Transition.BeginFailback(epoch, "no"),
                        new Transition.ActivatePrimary(epoch),
                        new Transition.AbortFailback(epoch, "no")))
                .filter(each -> each.epoch() != before.epoch() || !leaves(before.phase(), each))
                .forEach(each -> assertThat(authority.change(each))
                        .as("%s, from %s", each, before)
                        .isFalse());
        assertThat(authority.state()).isEqualTo(before);
        assertThat(authority.change(allowed)).isTrue();
        assertThat(authority.change(allowed)).as("twice").isFalse();
    }

    private static boolean leaves(FailoverPhase phase, Transition change) {
        return switch (phase) {
            case PRIMARY -> change instanceof Transition.DrainPrimary;
            case DRAINING -> change instanceof Transition.ActivateFallback;
            case FALLBACK -> change instanceof Transition.BeginFailback;
            case FAILING_BACK ->
                change instanceof Transition.ActivatePrimary || change instanceof Transition.AbortFailback;
        };
    }

    @Test
    void failureCount_risesUntilAPrimaryLastsLonger() throws SQLException {
        try (Authority authority = Authority.founded(database)) {
            for (int falls = 1; falls <= 3; falls++) {
                AuthorityState drain = authority.drain();
                assertThat(drain.failureCount()).isEqualTo(falls);
                authority.pass(new Transition.ActivateFallback(drain.epoch()));
            }
            AuthorityState primary = authority.activatePrimary();
            assertThat(primary.failureCount()).isEqualTo(3);
            database.execute("UPDATE holdfast_authority_state SET changed_at = changed_at - interval '11 minutes'");
            assertThat(authority
                            .pass(new Transition.DrainPrimary(primary.epoch(), "late"))
                            .failureCount())
                    .isEqualTo(1);
        }
    }

    @Test
    void transition_notifiesEveryWaiter() throws Exception {
        BlockingQueue<Notification> heard = new LinkedBlockingQueue<>();
        try (Authority authority = Authority.founded(database);
                AutoCloseable listening = authority.store().subscribe(heard::add)) {
            assertThat(listening).isNotNull();
            assertThat(heard.poll(60, TimeUnit.SECONDS)).as("connected").isEqualTo(Notification.ANY);
            authority.pass(new Transition.BeginFailback(1, REPLICATION_ID));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(Notification.ANY);
            authority.pass(new Transition.ActivatePrimary(2));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(Notification.ANY);
        }
    }

    @Test
    void tokens_throughAFullFailoverCycle_rise() {
        try (Authority authority = Authority.founded(database)) {
            long last = authority.state().tokenBase();
            for (int round = 0; round < 3; round++) {
                long epoch = authority.state().epoch();
                AcquisitionId id = id();
                long token =
                        authority.granted(epoch, acquire("lock " + round, id)).token();
                assertThat(token).isGreaterThan(last);
                long same = authority.granted(epoch, acquire("one", id())).token();
                assertThat(same).isGreaterThan(last);
                assertThat(authority.store().highestToken(CALL)).isGreaterThanOrEqualTo(Math.max(token, same));

                AuthorityState primary = authority.activatePrimary();
                assertThat(primary.tokenBase()).isGreaterThanOrEqualTo(Math.max(token, same));
                long mayHaveGranted = primary.tokenBase() + AuthorityState.TOKENS_PER_EPOCH;
                assertThat(authority.store().highestToken(CALL)).isEqualTo(mayHaveGranted);

                AuthorityState drain = authority.pass(new Transition.DrainPrimary(primary.epoch(), "a test"));
                assertThat(drain.tokenBase()).isGreaterThanOrEqualTo(mayHaveGranted);
                AcquisitionId survivor = id();
                assertThat(authority.assertOne(drain.epoch(), carried("one", survivor, mayHaveGranted)))
                        .isInstanceOf(LockReply.Granted.class);
                authority.pass(new Transition.ActivateFallback(drain.epoch()));
                authority.ask(drain.epoch(), release("one", survivor));
                last = mayHaveGranted;
            }
        }
    }

    @Test
    void beginFailback_whenTooFewTokensAreLeft_isUnavailable() {
        try (Authority authority = Authority.on(database)) {
            authority
                    .store()
                    .initialize(
                            AUTHORITY_LEASE, LockReply.Granted.MAX_TOKEN - AuthorityState.TOKENS_PER_EPOCH + 1, CALL);
            assertThatThrownBy(() -> authority.change(new Transition.BeginFailback(1, REPLICATION_ID)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("2^53 - 1");
            assertThat(authority.granted(1, acquire("a", id())).token())
                    .as("the database goes on granting")
                    .isEqualTo(LockReply.Granted.MAX_TOKEN - AuthorityState.TOKENS_PER_EPOCH + 2);
        }
    }
}
