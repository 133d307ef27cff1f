package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Commands;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.Membership;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Shorthand for calls to an authority store. */
record Authority(AuthorityStore store) implements AutoCloseable {

    static final Duration AUTHORITY_LEASE = Duration.ofSeconds(10);
    static final String REPLICATION_ID = "a replication id";

    static Authority on(Postgres database, String... settings) {
        return new Authority(Opened.authority("app", database.settings(settings)));
    }

    /** In FALLBACK of epoch 1. */
    static Authority founded(Postgres database, String... settings) {
        Authority authority = on(database, settings);
        authority.found();
        return authority;
    }

    AuthorityState found() {
        return store.initialize(AUTHORITY_LEASE, 0, CALL);
    }

    AuthorityState state() {
        return store.peek(CALL).orElseThrow().state();
    }

    boolean change(Transition transition) {
        return store.transition(transition, CALL);
    }

    /** Makes transitions that must succeed, one after the other. */
    AuthorityState pass(Transition... transitions) {
        for (Transition each : transitions) {
            assertThat(change(each)).as("%s, from %s", each, state()).isTrue();
        }
        return state();
    }

    /** From FALLBACK to PRIMARY. */
    AuthorityState activatePrimary() {
        long epoch = state().epoch();
        return pass(new Transition.BeginFailback(epoch, REPLICATION_ID), new Transition.ActivatePrimary(epoch + 1));
    }

    /** From FALLBACK through PRIMARY to DRAINING. */
    AuthorityState drain() {
        return pass(new Transition.DrainPrimary(activatePrimary().epoch(), "a test"));
    }

    LockReply ask(long epoch, LockCommand command) {
        return store.execute(epoch, List.of(command), CALL).get(0);
    }

    LockReply.Granted granted(long epoch, LockCommand command) {
        LockReply reply = ask(epoch, command);
        assertThat(reply).isInstanceOf(LockReply.Granted.class);
        return (LockReply.Granted) reply;
    }

    LockReply assertOne(long epoch, TransferredLease grant) {
        return store.assertLeases(epoch, List.of(grant), CALL).get(0);
    }

    List<TransferredLease> held(long epoch) {
        return store.leases(epoch, Optional.empty(), 1_000, CALL);
    }

    AuthorityReading read(AcquisitionId member, long suspected) {
        return store.read(new Membership(member, "a test", suspected), CALL);
    }

    static TransferredLease carried(String name, AcquisitionId id, long token) {
        return carried(name, id, token, Commands.LEASE);
    }

    static TransferredLease carried(String name, AcquisitionId id, long token, Duration remaining) {
        return transferred(name, id, token, remaining, false);
    }

    static TransferredLease kept(String name, AcquisitionId id, long token) {
        return kept(name, id, token, Commands.LEASE);
    }

    static TransferredLease kept(String name, AcquisitionId id, long token, Duration remaining) {
        return transferred(name, id, token, remaining, true);
    }

    private static TransferredLease transferred(
            String name, AcquisitionId id, long token, Duration remaining, boolean isMinimumHold) {
        return new TransferredLease(
                new LockName(name),
                id,
                token,
                Duration.ofSeconds(5),
                remaining,
                isMinimumHold,
                "a holder",
                Share.EXCLUSIVE);
    }

    /** Requires that a command was refused because of the authority state. */
    static void assertStale(LockReply reply, String evidence) {
        assertThat(reply).isInstanceOf(LockReply.Unavailable.class);
        assertThat(((LockReply.Unavailable) reply).cause())
                .isInstanceOf(StaleTermException.class)
                .hasMessageContaining(evidence);
    }

    @Override
    public void close() {
        store.close();
    }
}
