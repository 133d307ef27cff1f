package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.testing.Await;
import java.util.List;

/**
 * A primary term, and the store that is used under it.
 *
 * @param store which
 * @param term the term
 */
record PrimaryTermFixture(PrimaryStore store, PrimaryTerm term) implements AutoCloseable {

    /** The key of the term's record. */
    static final String MARK = "holdfast:{test:0}:term";

    static final long BASE = 1_000;

    /** A store with an active term of this epoch. */
    static PrimaryTermFixture of(String uri, long epoch) {
        PrimaryTermFixture term = claim(uri, epoch);
        term.install();
        return term;
    }

    /** A store with a term of this epoch that is not active. */
    static PrimaryTermFixture claim(String uri, long epoch) {
        PrimaryStore store = TestStores.primary(uri);
        return new PrimaryTermFixture(
                store, new PrimaryTerm(epoch, store.health(TestCommands.CALL).replicationId()));
    }

    /** The same store under the term of another epoch. */
    PrimaryTermFixture at(long epoch) {
        return new PrimaryTermFixture(store, new PrimaryTerm(epoch, term.replicationId()));
    }

    void install() {
        store.installTerm(term, BASE, TestCommands.CALL);
    }

    LockReply ask(LockCommand command) {
        return store.execute(term, List.of(command), TestCommands.CALL).get(0);
    }

    /** The answer, which is of this kind. */
    <T extends LockReply> T answered(LockCommand command, Class<T> kind) {
        LockReply reply = ask(command);
        assertThat(reply).as("the answer to " + command).isInstanceOf(kind);
        return kind.cast(reply);
    }

    /** The evidence against the term in the answer to this command. */
    String evidence(LockCommand command) {
        Throwable why = answered(command, LockReply.Unavailable.class).cause();
        assertThat(why).as("the answer to " + command).isInstanceOf(StaleTermException.class);
        return why.getMessage();
    }

    /** Waits until the server answers on a connection that is not dead. */
    void awaitAnswer() {
        Await.until("the server answers", () -> {
            try {
                return !store.health(TestCommands.CALL).replicationId().isEmpty();
            } catch (LockUnavailableException e) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
