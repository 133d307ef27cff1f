package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.authority.Authority.LINEAGE;
import static dev.holdfast.lock.jdbc.authority.Authority.REGIME_LEASE;
import static dev.holdfast.lock.jdbc.authority.Authority.carried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Transitions of the authority state, and tokens that rise through all of them. */
class TransitionTest {

    private final Postgres database = Postgres.withTables();

    @Test
    void transition_fromAnotherState_changesNothing() {
        try (Authority authority = Authority.founded(database)) {
            Regime founded = authority.regime();
            onlyAllowed(authority, new Transition.Prepare(1, LINEAGE));
            Regime prepare = authority.regime();
            assertThat(prepare.epoch()).isEqualTo(2);
            assertThat(prepare.mode()).isEqualTo(Mode.PREPARE);
            assertThat(prepare.lineage()).isEqualTo(LINEAGE);
            assertThat(prepare.since()).isAfter(founded.since());

            onlyAllowed(authority, new Transition.Burn(2, "burnt"));
            Regime burnt = authority.regime();
            assertThat(burnt.epoch()).isEqualTo(3);
            assertThat(burnt.mode()).isEqualTo(Mode.FALLBACK);
            assertThat(burnt.lineage()).isEmpty();
            assertThat(burnt.cause()).isEqualTo("burnt");

            onlyAllowed(authority, new Transition.Prepare(3, LINEAGE));
            onlyAllowed(authority, new Transition.Crown(4));
            Regime primary = authority.regime();
            assertThat(primary.epoch()).isEqualTo(4);
            assertThat(primary.mode()).isEqualTo(Mode.PRIMARY);
            assertThat(primary.lineage()).isEqualTo(LINEAGE);
            assertThat(primary.falls()).isZero();

            onlyAllowed(authority, new Transition.Depose(4, "for the test"));
            Regime drain = authority.regime();
            assertThat(drain.epoch()).isEqualTo(5);
            assertThat(drain.mode()).isEqualTo(Mode.DRAIN);
            assertThat(drain.lineage()).isEmpty();
            assertThat(drain.base()).isEqualTo(primary.base() + Regime.TOKENS);
            assertThat(drain.falls()).isEqualTo(1);
            assertThat(drain.cause()).isEqualTo("for the test");

            onlyAllowed(authority, new Transition.Open(5));
            Regime fallback = authority.regime();
            assertThat(fallback.epoch()).isEqualTo(5);
            assertThat(fallback.mode()).isEqualTo(Mode.FALLBACK);
            assertThat(fallback.base()).isEqualTo(drain.base());
            assertThat(fallback.cause()).isEqualTo("for the test");
        }
    }

    /** Tries every other change first, of every epoch around. */
    private static void onlyAllowed(Authority authority, Transition allowed) {
        Regime before = authority.regime();
        Stream.of(before.epoch() - 1, before.epoch(), before.epoch() + 1)
                .flatMap(epoch -> Stream.of(
                        new Transition.Depose(epoch, "no"),
                        new Transition.Open(epoch),
                        new Transition.Prepare(epoch, "no"),
                        new Transition.Crown(epoch),
                        new Transition.Burn(epoch, "no")))
                .filter(each -> each.epoch() != before.epoch() || !leaves(before.mode(), each))
                .forEach(each -> assertThat(authority.change(each))
                        .as("%s, from %s", each, before)
                        .isFalse());
        assertThat(authority.regime()).isEqualTo(before);
        assertThat(authority.change(allowed)).isTrue();
        assertThat(authority.change(allowed)).as("twice").isFalse();
    }

    private static boolean leaves(Mode mode, Transition change) {
        return switch (mode) {
            case PRIMARY -> change instanceof Transition.Depose;
            case DRAIN -> change instanceof Transition.Open;
            case FALLBACK -> change instanceof Transition.Prepare;
            case PREPARE -> change instanceof Transition.Crown || change instanceof Transition.Burn;
        };
    }

    @Test
    void failureCount_risesUntilAPrimaryLastsLonger() throws SQLException {
        try (Authority authority = Authority.founded(database)) {
            for (int falls = 1; falls <= 3; falls++) {
                Regime drain = authority.drain();
                assertThat(drain.falls()).isEqualTo(falls);
                authority.pass(new Transition.Open(drain.epoch()));
            }
            Regime primary = authority.crown();
            assertThat(primary.falls()).isEqualTo(3);
            database.execute("UPDATE holdfast_authority_state SET changed_at = changed_at - interval '11 minutes'");
            assertThat(authority
                            .pass(new Transition.Depose(primary.epoch(), "late"))
                            .falls())
                    .isEqualTo(1);
        }
    }

    @Test
    void transition_notifiesEveryWaiter() throws Exception {
        BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
        try (Authority authority = Authority.founded(database);
                AutoCloseable listening = authority.store().signals(heard::add)) {
            assertThat(listening).isNotNull();
            assertThat(heard.poll(60, TimeUnit.SECONDS)).as("connected").isEqualTo(Signal.ANY);
            authority.pass(new Transition.Prepare(1, LINEAGE));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(Signal.ANY);
            authority.pass(new Transition.Crown(2));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(Signal.ANY);
        }
    }

    @Test
    void tokens_throughAFullFailoverCycle_rise() {
        try (Authority authority = Authority.founded(database)) {
            long last = authority.regime().base();
            for (int round = 0; round < 3; round++) {
                long epoch = authority.regime().epoch();
                AcquisitionId id = id();
                long token =
                        authority.granted(epoch, acquire("lock " + round, id)).token();
                assertThat(token).isGreaterThan(last);
                long same = authority.granted(epoch, acquire("one", id())).token();
                assertThat(same).isGreaterThan(last);
                assertThat(authority.store().highestToken(CALL)).isGreaterThanOrEqualTo(Math.max(token, same));

                Regime primary = authority.crown();
                assertThat(primary.base()).isGreaterThanOrEqualTo(Math.max(token, same));
                long mayHaveGranted = primary.base() + Regime.TOKENS;
                assertThat(authority.store().highestToken(CALL)).isEqualTo(mayHaveGranted);

                Regime drain = authority.pass(new Transition.Depose(primary.epoch(), "a test"));
                assertThat(drain.base()).isGreaterThanOrEqualTo(mayHaveGranted);
                AcquisitionId survivor = id();
                assertThat(authority.assertOne(drain.epoch(), carried("one", survivor, mayHaveGranted)))
                        .isInstanceOf(Answer.Granted.class);
                authority.pass(new Transition.Open(drain.epoch()));
                authority.ask(drain.epoch(), release("one", survivor));
                last = mayHaveGranted;
            }
        }
    }

    @Test
    void beginFailback_whenTooFewTokensAreLeft_isUnavailable() {
        try (Authority authority = Authority.on(database)) {
            authority.store().found(REGIME_LEASE, Answer.Granted.MAX_TOKEN - Regime.TOKENS + 1, CALL);
            assertThatThrownBy(() -> authority.change(new Transition.Prepare(1, LINEAGE)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("2^53 - 1");
            assertThat(authority.granted(1, acquire("a", id())).token())
                    .as("the database goes on granting")
                    .isEqualTo(Answer.Granted.MAX_TOKEN - Regime.TOKENS + 2);
        }
    }
}
