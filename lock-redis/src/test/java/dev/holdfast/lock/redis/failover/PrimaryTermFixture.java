package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reign;
import dev.holdfast.lock.testing.Await;
import java.util.List;

/**
 * A primary term, and the store that is used under it.
 *
 * @param store which
 * @param reign the term
 */
record PrimaryTermFixture(PrimaryStore store, Reign reign) implements AutoCloseable {

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
                store, new Reign(epoch, store.examine(TestCommands.CALL).lineage()));
    }

    /** The same store under the term of another epoch. */
    PrimaryTermFixture at(long epoch) {
        return new PrimaryTermFixture(store, new Reign(epoch, reign.lineage()));
    }

    void install() {
        store.install(reign, BASE, TestCommands.CALL);
    }

    Answer ask(Step step) {
        return store.apply(reign, List.of(step), TestCommands.CALL).get(0);
    }

    /** The answer, which is of this kind. */
    <T extends Answer> T answered(Step step, Class<T> kind) {
        Answer answer = ask(step);
        assertThat(answer).as("the answer to " + step).isInstanceOf(kind);
        return kind.cast(answer);
    }

    /** The evidence against the term in the answer to this command. */
    String evidence(Step step) {
        Throwable why = answered(step, Answer.Unavailable.class).why();
        assertThat(why).as("the answer to " + step).isInstanceOf(DeposedException.class);
        return why.getMessage();
    }

    /** Waits until the server answers on a connection that is not dead. */
    void awaitAnswer() {
        Await.until("the server answers", () -> {
            try {
                return !store.examine(TestCommands.CALL).lineage().isEmpty();
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
