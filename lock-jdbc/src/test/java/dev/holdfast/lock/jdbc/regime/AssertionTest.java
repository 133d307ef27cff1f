package dev.holdfast.lock.jdbc.regime;

import static dev.holdfast.lock.jdbc.Steps.CALL;
import static dev.holdfast.lock.jdbc.Steps.LEASE;
import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.release;
import static dev.holdfast.lock.jdbc.Steps.renew;
import static dev.holdfast.lock.jdbc.regime.Authority.assertDeposed;
import static dev.holdfast.lock.jdbc.regime.Authority.carried;
import static dev.holdfast.lock.jdbc.regime.Authority.kept;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Transition;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Grants on their way from one store to the other: asserted in DRAIN, and listed in PREPARE. */
class AssertionTest {

    private final Postgres database = Postgres.withTables();
    private final Authority authority = Authority.founded(database);
    private final AcquisitionId holder = id();

    @AfterEach
    void close() {
        authority.close();
    }

    @Test
    void aGrantStandsWithItsTokenAndItsTime() {
        long epoch = authority.drain().epoch();
        Answer.Granted granted = asserted(epoch, carried("a", holder, 77));
        assertThat(granted.token()).isEqualTo(77);
        assertThat(granted.remaining()).isEqualTo(LEASE);
        LockInfo.Holder held = lock("a").holder().orElseThrow();
        assertThat(held.id()).isEqualTo(holder);
        assertThat(held.owner()).isEqualTo("a holder");
        assertThat(held.token()).isEqualTo(77);
        assertThat(Duration.between(held.since(), held.until())).isEqualTo(LEASE.plusSeconds(5));

        assertThat(authority.ask(epoch, renew("a", holder, LEASE.multipliedBy(2))))
                .isInstanceOf(Answer.Granted.class);
        authority.pass(new Transition.Open(epoch));
        assertThat(authority.ask(epoch, acquire("a", id()))).isInstanceOf(Answer.Busy.class);
        assertThat(authority.ask(epoch, release("a", holder))).isEqualTo(new Answer.Released(true));
        assertThat(authority.granted(epoch, acquire("a", id())).token())
                .isGreaterThan(authority.regime().base());
    }

    @Test
    void assertedAgainItStandsAsItIsOrLonger() {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        authority.ask(epoch, renew("a", holder, LEASE.multipliedBy(3)));
        Answer.Granted again = asserted(epoch, carried("a", holder, 77));
        assertThat(again.token()).isEqualTo(77);
        assertThat(again.remaining()).as("never shortened").isGreaterThan(LEASE.multipliedBy(2));
        Carried longer =
                new Carried(new LockName("a"), holder, 77, Duration.ZERO, LEASE.multipliedBy(9), false, "a holder");
        assertThat(asserted(epoch, longer).remaining()).isEqualTo(LEASE.multipliedBy(9));
    }

    @Test
    void whatAnotherHasIsGone() {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        gone(epoch, carried("a", id(), 76));
        asserted(epoch, kept("b", holder, 78));
        gone(epoch, carried("b", id(), 77));
        gone(epoch, kept("b", id(), 77));
    }

    /** Whose process missed an earlier DRAIN may assert a minimum hold that is lost since: the lock became another's. */
    @Test
    void aMinimumHoldGivesWayToWhatWasGrantedLater() {
        long epoch = authority.drain().epoch();
        asserted(epoch, kept("held", holder, 77));
        asserted(epoch, kept("kept", holder, 77));
        AcquisitionId next = id();

        assertThat(asserted(epoch, carried("held", next, 78)).token()).isEqualTo(78);
        assertThat(asserted(epoch, kept("kept", next, 78)).token()).isEqualTo(78);

        assertThat(lock("held").holder().map(LockInfo.Holder::id)).contains(next);
        assertThat(authority.ask(epoch, renew("held", next, LEASE))).isInstanceOf(Answer.Granted.class);
        gone(epoch, kept("held", holder, 77));
        gone(epoch, kept("kept", holder, 77));
    }

    @Test
    void whatWasReleasedIsGoneWheneverTheAssertionComes() {
        long epoch = authority.drain().epoch();
        // Released before it was asserted, as the assertion was on its way.
        authority.ask(epoch, release("late", holder, Duration.ZERO, Duration.ofMinutes(1)));
        gone(epoch, carried("late", holder, 77));
        asserted(epoch, carried("late", id(), 78)); // another's is

        // Its minimum hold does not give it back.
        authority.ask(epoch, release("rest", holder, Duration.ZERO, Duration.ofMinutes(1)));
        gone(epoch, carried("rest", holder, 77));
        asserted(epoch, kept("rest", holder, 77));
        assertThat(lock("rest").holder()).isEmpty();
        assertThat(lock("rest").keptUntil()).isPresent();
        gone(epoch, carried("rest", holder, 77));

        // Asserted, released, and asserted once more.
        asserted(epoch, carried("again", holder, 77));
        authority.ask(epoch, release("again", holder));
        gone(epoch, carried("again", holder, 77));

        // With a minimum hold: it is kept, and not held again.
        asserted(epoch, carried("kept", holder, 77));
        authority.ask(epoch, release("kept", holder, Duration.ofHours(1), Duration.ZERO));
        gone(epoch, carried("kept", holder, 77));
        asserted(epoch, kept("kept", holder, 77));
        assertThat(authority.ask(epoch, renew("kept", holder, LEASE))).isInstanceOf(Answer.Gone.class);
    }

    @Test
    void whatHasExpiredSinceIsGoneForItsHolderAndFreeForAnother() throws SQLException {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        database.execute("UPDATE holdfast_lock SET until = now() - interval '1 second'");
        gone(epoch, carried("a", holder, 77));
        assertThat(asserted(epoch, carried("a", id(), 78)).token()).isEqualTo(78);
    }

    /** The lease's own assertion came first, and the release that was to keep it did not, or comes later. */
    @Test
    void aMinimumHoldIsKeptThoughTheLeaseBeforeItHasRunOut() throws SQLException {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("a", holder, 77));
        database.execute("UPDATE holdfast_lock SET until = now() - interval '1 second'");

        assertThat(asserted(epoch, kept("a", holder, 77)).token()).isEqualTo(77);

        assertThat(authority.ask(epoch, release("a", holder, Duration.ofHours(1), Duration.ZERO)))
                .isEqualTo(new Answer.Released(false));
        gone(epoch, carried("a", holder, 77));
        database.execute("UPDATE holdfast_lock SET until = now() - interval '1 second'");
        asserted(epoch, kept("a", holder, 77));
        authority.pass(new Transition.Open(epoch));
        assertThat(authority.ask(epoch, acquire("a", id()))).isInstanceOf(Answer.Busy.class);
    }

    @Test
    void aMinimumHoldEndsTheLeaseBeforeItAndLastsForItsOwnTime() {
        long epoch = authority.drain().epoch();
        Carried longer =
                new Carried(new LockName("a"), holder, 77, Duration.ZERO, LEASE.multipliedBy(9), false, "a holder");
        asserted(epoch, longer);

        assertThat(asserted(epoch, kept("a", holder, 77)).remaining()).isEqualTo(LEASE);

        assertThat(lock("a").holder()).isEmpty();
        assertThat(lock("a").keptUntil()).isPresent();
        assertThat(authority.ask(epoch, renew("a", holder, LEASE))).isInstanceOf(Answer.Gone.class);
        gone(epoch, longer);
        Carried again =
                new Carried(new LockName("a"), holder, 77, Duration.ZERO, LEASE.multipliedBy(9), true, "a holder");
        assertThat(asserted(epoch, again).remaining()).isEqualTo(LEASE.multipliedBy(9));
        assertThat(asserted(epoch, kept("a", holder, 77)).remaining())
                .as("never shortened once it is kept")
                .isGreaterThan(LEASE.multipliedBy(8));
    }

    @Test
    void aMinimumHoldIsKeptAndCannotBeRenewed() {
        long epoch = authority.drain().epoch();
        asserted(epoch, kept("a", holder, 77));
        assertThat(lock("a").holder()).isEmpty();
        assertThat(lock("a").keptUntil()).isPresent();
        assertThat(authority.ask(epoch, renew("a", holder, LEASE))).isInstanceOf(Answer.Gone.class);
        authority.pass(new Transition.Open(epoch));
        assertThat(authority.ask(epoch, acquire("a", id()))).isInstanceOf(Answer.Busy.class);
    }

    @Test
    void onlyInDrainOfTheEpoch() {
        List<Carried> grants = List.of(carried("a", holder, 77), carried("b", holder, 78));
        deposed(1, grants, "FALLBACK of epoch 1");
        long epoch = authority.drain().epoch();
        deposed(epoch - 1, grants, "DRAIN of epoch " + epoch);
        deposed(epoch + 1, grants, "DRAIN of epoch " + epoch);
        authority.pass(new Transition.Open(epoch));
        deposed(epoch, grants, "FALLBACK of epoch " + epoch);
        authority.pass(new Transition.Prepare(epoch, Authority.LINEAGE));
        deposed(epoch, grants, "PREPARE of epoch ");
        authority.pass(new Transition.Crown(epoch + 1));
        deposed(epoch + 1, grants, "PRIMARY of epoch ");
        try (Stream<LockInfo> locks = authority.store().inspect("", CALL)) {
            assertThat(locks).isEmpty();
        }
    }

    private void deposed(long epoch, List<Carried> grants, String evidence) {
        assertThat(authority.store().assertAll(epoch, grants, CALL))
                .hasSize(grants.size())
                .allSatisfy(answer -> assertDeposed(answer, evidence));
    }

    @Test
    void manyAtOnceAreAnsweredInTheirOrderAndOneBlockedRowHarmsNoOther() throws SQLException {
        long epoch = authority.drain().epoch();
        asserted(epoch, carried("taken", id(), 5));
        asserted(epoch, carried("blocked", holder, 6));
        List<Carried> grants = List.of(
                carried("z", holder, 1),
                carried("blocked", holder, 6),
                carried("taken", holder, 2),
                carried("a", holder, 3));
        try (Connection stranger = database.connect()) {
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'blocked' FOR UPDATE");
            List<Answer> answers = authority.store().assertAll(epoch, grants, Duration.ofSeconds(12));
            assertThat(answers.get(0)).isEqualTo(new Answer.Granted(1, LEASE));
            assertThat(answers.get(1)).isInstanceOf(Answer.Unavailable.class);
            assertThat(answers.get(2)).isEqualTo(new Answer.Gone());
            assertThat(answers.get(3)).isEqualTo(new Answer.Granted(3, LEASE));
            stranger.rollback();
        }
        assertThat(authority.store().assertAll(epoch, List.of(), CALL)).isEmpty();
    }

    @Test
    void whatIsHeldIsListedPageByPageInTheOrderOfTheNames() {
        List<String> names =
                List.of("B", "a", "b", "\uffff", "\ud83d\udd12"); // the last two are the other way round in UTF-16
        List<Carried> expected = new ArrayList<>();
        for (String name : names) {
            AcquisitionId id = id();
            long token = authority.granted(1, acquire(name, id)).token();
            expected.add(new Carried(new LockName(name), id, token, Duration.ZERO, LEASE, false, "a test"));
        }
        AcquisitionId kept = id();
        authority.granted(1, acquire("c", kept));
        authority.ask(1, release("c", kept, Duration.ofHours(1), Duration.ZERO));
        AcquisitionId released = id();
        authority.granted(1, acquire("d", released));
        authority.ask(1, release("d", released));
        heldIsRefused(1, "FALLBACK of epoch 1");

        authority.pass(new Transition.Prepare(1, Authority.LINEAGE));
        heldIsRefused(1, "PREPARE of epoch 2");
        List<Carried> all = new ArrayList<>();
        Optional<LockName> after = Optional.empty();
        List<Carried> page;
        do {
            page = authority.store().held(2, after, 2, CALL);
            all.addAll(page);
            after = Optional.of(all.get(all.size() - 1).name());
        } while (page.size() == 2);
        assertThat(all)
                .extracting(each -> each.name().value())
                .containsExactly("B", "a", "b", "c", "\uffff", "\ud83d\udd12");
        assertThat(all.get(3).kept()).isTrue();
        assertThat(all.get(3).remaining()).isGreaterThan(Duration.ofMinutes(59));
        all.remove(3);
        assertThat(all)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("age", "remaining")
                .isEqualTo(expected);
        assertThat(all).allSatisfy(each -> {
            assertThat(each.remaining()).isPositive().isLessThan(LEASE);
            assertThat(each.age().plus(each.remaining())).isBetween(LEASE.minusNanos(2_000), LEASE.plusNanos(2_000));
        });
        authority.pass(new Transition.Crown(2));
        heldIsRefused(2, "PRIMARY of epoch 2");
    }

    private void heldIsRefused(long epoch, String evidence) {
        assertThatThrownBy(() -> authority.held(epoch))
                .isInstanceOf(DeposedException.class)
                .hasMessageContaining(evidence);
    }

    private Answer.Granted asserted(long epoch, Carried grant) {
        Answer answer = authority.assertOne(epoch, grant);
        assertThat(answer).isInstanceOf(Answer.Granted.class);
        return (Answer.Granted) answer;
    }

    private void gone(long epoch, Carried grant) {
        assertThat(authority.assertOne(epoch, grant)).isInstanceOf(Answer.Gone.class);
    }

    private LockInfo lock(String name) {
        try (Stream<LockInfo> locks = authority.store().inspect(name, CALL)) {
            return locks.findFirst().orElseThrow();
        }
    }
}
