package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Commands;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Membership;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Short forms of the calls of an authority store. */
record Authority(AuthorityStore store) implements AutoCloseable {

    static final Duration REGIME_LEASE = Duration.ofSeconds(10);
    static final String LINEAGE = "lineage";

    static Authority on(Postgres database, String... settings) {
        return new Authority(Opened.authority("app", database.settings(settings)));
    }

    /** In FALLBACK of epoch 1. */
    static Authority founded(Postgres database, String... settings) {
        Authority authority = on(database, settings);
        authority.found();
        return authority;
    }

    Regime found() {
        return store.found(REGIME_LEASE, 0, CALL);
    }

    Regime regime() {
        return store.look(CALL).orElseThrow().regime();
    }

    boolean change(Transition transition) {
        return store.change(transition, CALL);
    }

    /** Makes changes that must be made, one after the other. */
    Regime pass(Transition... transitions) {
        for (Transition each : transitions) {
            assertThat(change(each)).as("%s, from %s", each, regime()).isTrue();
        }
        return regime();
    }

    /** From FALLBACK to PRIMARY. */
    Regime crown() {
        long epoch = regime().epoch();
        return pass(new Transition.Prepare(epoch, LINEAGE), new Transition.Crown(epoch + 1));
    }

    /** From FALLBACK through PRIMARY to DRAIN. */
    Regime drain() {
        return pass(new Transition.Depose(crown().epoch(), "a test"));
    }

    Answer ask(long epoch, Step step) {
        return store.apply(epoch, List.of(step), CALL).get(0);
    }

    Answer.Granted granted(long epoch, Step step) {
        Answer answer = ask(epoch, step);
        assertThat(answer).isInstanceOf(Answer.Granted.class);
        return (Answer.Granted) answer;
    }

    Answer assertOne(long epoch, Carried grant) {
        return store.assertAll(epoch, List.of(grant), CALL).get(0);
    }

    List<Carried> held(long epoch) {
        return store.held(epoch, Optional.empty(), 1_000, CALL);
    }

    Reading read(AcquisitionId member, long suspected) {
        return store.read(new Membership(member, "a test", suspected), CALL);
    }

    static Carried carried(String name, AcquisitionId id, long token) {
        return carried(name, id, token, Commands.LEASE);
    }

    static Carried carried(String name, AcquisitionId id, long token, Duration remaining) {
        return new Carried(new LockName(name), id, token, Duration.ofSeconds(5), remaining, false, "a holder");
    }

    static Carried kept(String name, AcquisitionId id, long token) {
        return new Carried(new LockName(name), id, token, Duration.ofSeconds(5), Commands.LEASE, true, "a holder");
    }

    /** Requires that a step was refused for the regime's sake. */
    static void assertDeposed(Answer answer, String evidence) {
        assertThat(answer).isInstanceOf(Answer.Unavailable.class);
        assertThat(((Answer.Unavailable) answer).why())
                .isInstanceOf(DeposedException.class)
                .hasMessageContaining(evidence);
    }

    @Override
    public void close() {
        store.close();
    }
}
